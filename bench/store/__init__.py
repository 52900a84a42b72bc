"""How quickly content gets in and out over HTTP, against `cp` and `sha256sum` of the same files."""
