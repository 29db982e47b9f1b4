"""Data: recorded executions as padded arrays."""
