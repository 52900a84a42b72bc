"""Everything that runs: specs, quotas, the queue, one lifecycle, attempts, logs, usage, outputs."""
