"""How many labels the order "least certain first" saves."""
