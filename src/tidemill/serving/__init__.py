"""Online services: what runs, who gets how much traffic, what is seen of it. The gateway carries the requests."""
