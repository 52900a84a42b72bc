"""Ways into what runs: leave to reach a port of a workload from a browser, and who is inside right now."""
