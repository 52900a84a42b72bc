"""Moving trees of files between a folder and a version."""
