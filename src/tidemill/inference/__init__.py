"""Batch inference: entries and their runs, over a user's own command, or with no code at all over a model or a service.

What a run found is kept in the store as shards of JSON lines, with a small index in the database: any page of a million
results costs what the first one does.
"""
