"""Datasets of a million items: pages, statistics, saving, new versions, publishing."""
