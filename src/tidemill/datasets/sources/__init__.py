"""Read-only views of what is imported: folders and archives, hostile ones refused."""
