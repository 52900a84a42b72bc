"""The program of a run without code."""
