"""Composition only: the application, its settings, its background loops, its doors."""
