"""Datasets: versions of items with annotations, and everything that fills, cleans and hands them out."""
