"""Processors: node, edge and graph features to processed node features. One file for each kind."""
