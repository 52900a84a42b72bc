"""Models of others: one small file a family turns what they say into annotations."""
