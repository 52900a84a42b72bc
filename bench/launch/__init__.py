"""How long it takes to get something running, and what it costs to run it here."""
