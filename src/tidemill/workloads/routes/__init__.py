"""Workloads over HTTP."""
