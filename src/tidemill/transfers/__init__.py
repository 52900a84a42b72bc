"""Bytes coming in over HTTP: what is missing, batches of small files, uploads of large ones."""
