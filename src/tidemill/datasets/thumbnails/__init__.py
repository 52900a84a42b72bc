"""Small pictures of items: drawn by processes of their own, because pictures may be hostile, and kept."""
