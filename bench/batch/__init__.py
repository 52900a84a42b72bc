"""Batch inference beside a bare loop over the same model and files."""
