"""Graphs: what they are, how they are read and drawn, and what they give to a network."""
