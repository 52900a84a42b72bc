"""The loop: label, train, let the model label, look, and again."""
