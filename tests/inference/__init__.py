"""Batch inference."""
