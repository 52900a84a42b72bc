"""What should run behind services, compared with what does: loaded, decided, applied."""
