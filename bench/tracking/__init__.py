"""Experiment tracking through the real MLflow client: Tidemill and `mlflow server` side by side."""
