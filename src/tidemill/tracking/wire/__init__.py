"""What the MLflow client speaks: its addresses, its bodies, its errors."""
