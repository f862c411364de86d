"""Types, configuration and logging."""
