"""The base class of processes with traits."""
