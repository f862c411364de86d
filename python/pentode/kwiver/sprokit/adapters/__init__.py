"""Pipelines embedded in a Python program."""
