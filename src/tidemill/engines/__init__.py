"""Engines: where workloads run. `base` is the contract, `local` the embedded engine, `contract` the suite all pass."""
