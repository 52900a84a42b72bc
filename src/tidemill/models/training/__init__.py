"""Training from a version of a dataset: what is chosen, why, and the run that does it."""
