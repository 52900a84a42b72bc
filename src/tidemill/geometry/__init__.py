"""Pure geometry of annotations: what happens to them when the picture under them changes."""
