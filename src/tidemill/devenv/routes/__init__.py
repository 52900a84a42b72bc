"""Environments and SSH keys over HTTP."""
