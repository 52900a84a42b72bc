"""Exporting a version in other formats, and as files to train from."""
