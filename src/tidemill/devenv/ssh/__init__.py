"""The SSH gateway: one port of the platform, behind which every environment is a host."""
