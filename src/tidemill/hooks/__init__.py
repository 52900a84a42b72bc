"""Webhooks: other systems are told what happens in a project."""
