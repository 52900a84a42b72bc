"""Images made by workloads."""
