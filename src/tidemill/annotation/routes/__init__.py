"""Annotation over HTTP."""
