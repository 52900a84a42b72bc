"""What the platform has, what of it is in use, and how that went over the last days."""
