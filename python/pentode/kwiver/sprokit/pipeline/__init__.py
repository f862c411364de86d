"""Processes, data and what they are registered with."""

from .datum import DatumType

__all__ = ["DatumType"]
