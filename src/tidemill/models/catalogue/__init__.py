"""Well-known models, ready to be installed."""
