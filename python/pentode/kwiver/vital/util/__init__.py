"""Images of other libraries."""
