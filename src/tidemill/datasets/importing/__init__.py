"""Importing into a draft: archives, folders, buckets, databases, lists of addresses, other datasets."""
