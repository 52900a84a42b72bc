"""The model server beside others: the same small model, the same client, in one run."""
