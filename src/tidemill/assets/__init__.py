"""Assets, their versions and files, lineage, recycle bin."""
