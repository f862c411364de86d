"""Processes, data, and the factories that processes are registered with."""

from .datum import DatumType

__all__ = ["DatumType"]
