"""Situations: what a network whose messages are bits can tell at a node. There are finitely many, so they can be listed.

layout    which values of a row a node sees, as one small number: its *type*
hearing   what nodes hear of each other: bits, united over edges and orders
tables    the situations that were met, what the network computes in each, and how sure it is
rows      recorded rows as situations
"""
