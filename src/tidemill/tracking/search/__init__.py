"""Finding runs: filters and orders as MLflow writes them, pages that cost the same however far one goes."""
