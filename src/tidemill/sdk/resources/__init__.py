"""The groups of calls a client has, one file a noun."""
