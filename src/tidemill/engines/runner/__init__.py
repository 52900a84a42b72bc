"""What runs beside each node of a launch: a detached process that starts, watches and ends it.

It is started by path (`__main__.py`) with an interpreter that reads no site folder, and imports the standard library
only: it is up in some milliseconds, and lives on when the control plane ends or is replaced by another version.
"""
