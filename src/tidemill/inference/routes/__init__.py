"""Batch inference over HTTP."""
