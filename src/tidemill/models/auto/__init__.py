"""Auto-annotation: a model looks at a draft; what it says are suggestions until somebody accepts them."""
