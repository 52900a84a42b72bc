"""HTTP, one file a noun."""
