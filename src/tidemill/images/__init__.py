"""What workloads run in: OCI images in the registry and Python environments."""
