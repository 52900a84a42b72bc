"""Work the control plane does in the background, with progress, and what people are told of it."""
