"""How good and how quick the built-in algorithms are, on real data."""
