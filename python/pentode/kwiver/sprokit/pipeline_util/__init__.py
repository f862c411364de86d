"""Files of pipelines."""
