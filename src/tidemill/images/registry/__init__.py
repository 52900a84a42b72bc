"""The OCI distribution protocol at `/v2/`, on the one store."""
