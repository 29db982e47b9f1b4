"""Execution: a trained reasoner runs an algorithm by itself."""
