"""Development environments: notebooks, terminals, SSH, what workloads serve."""
