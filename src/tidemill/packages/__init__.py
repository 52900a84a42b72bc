"""Packages: models with what serves them, built once, run as services or elsewhere."""
