"""Numbers over steps: where they come from, how they are kept, how they are given out."""
