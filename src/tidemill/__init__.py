"""Tidemill: data in, models out, services up, and what the services see back in as data."""

__version__ = "0.1.0"
