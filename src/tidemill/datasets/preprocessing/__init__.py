"""Cleaning and preprocessing: bad items found and set aside, pictures cropped, turned, mirrored and resized."""
