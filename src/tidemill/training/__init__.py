"""Training tasks, runs, metrics, checkpoints."""
