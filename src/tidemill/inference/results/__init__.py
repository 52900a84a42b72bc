"""What a run found: its index, pages, downloads, and the way back into a dataset."""
