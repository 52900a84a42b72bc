"""Lists of 100,000 assets in one project, through the API."""
