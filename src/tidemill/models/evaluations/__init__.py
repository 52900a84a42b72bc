"""Models measured on labelled data: asked for, or left behind by a run."""
