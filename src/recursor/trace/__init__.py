"""Traces: one execution shown on a page, in the terminal or in the playground."""
