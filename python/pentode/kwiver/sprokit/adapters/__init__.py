"""Pipelines that are parts of a Python program."""
