"""Execution by lookup: a network whose messages are bits is run by looking situations up, and only where something changed.

From the inside out:

compiled    the same functions in plain Python, and compiled by Numba where it is installed
state       everything that an execution changes, as numbers and arrays with names
sets        sets of small integers with a next and a previous element
entries     entries of the memory, found by their keys
classes     nodes that have the same type and hear the same
heap        the state in one array
edges       what is heard along edges
orders      what is heard in further orders
segments    what is heard of everyone and from before; the situations of classes
hearing     all of this, brought up to date after a row
deciding    the fields of the next row
node_types  types that change with it
frames      the stack
newest_row  the next row becomes the newest
advance     row after row
memory      the tables of situations; the network computes what is missing
network     the fields of a network by number
beginning   the state in row 0
executor    executions of graphs
"""
