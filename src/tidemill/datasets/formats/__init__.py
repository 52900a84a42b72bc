"""Formats of annotated data, one small file each, behind one interface of readers and writers."""
