"""The gateway: a process of its own that carries calls to the replicas of services, and counts them.

The control plane writes a routing table into the database (`publishing`); the gateway follows it (`following`), keeps
the last good one in a file, and goes on serving while the control plane is away.
"""
