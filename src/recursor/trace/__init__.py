"""Traces: one execution as a page, in the terminal and in the playground."""
