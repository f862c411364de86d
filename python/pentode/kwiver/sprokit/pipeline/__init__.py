"""Processes, data and what they are registered with."""
