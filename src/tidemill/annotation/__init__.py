"""Annotation: what the people who annotate need beyond the datasets themselves."""
