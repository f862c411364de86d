"""Conversion from and to images of other libraries."""
