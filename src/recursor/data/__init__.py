"""Data: recorded executions as padded, masked arrays."""
