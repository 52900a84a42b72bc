"""Kinds of models the server runs, one file each. `opening.open_model` finds out which one a folder holds."""
