"""What goes over the wire, one file a noun."""
