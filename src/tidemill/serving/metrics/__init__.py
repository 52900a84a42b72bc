"""Figures of services: taken from the gateway and from model servers, kept in ever wider steps."""
