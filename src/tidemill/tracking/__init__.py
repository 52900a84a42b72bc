"""Experiments from everywhere: what the MLflow client speaks, and the pages that compare runs."""
