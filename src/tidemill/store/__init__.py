"""Content-addressed store: blobs, trees, uploads, garbage collection."""
