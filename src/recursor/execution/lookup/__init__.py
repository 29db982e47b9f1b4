"""Execution by lookup: a network whose messages are bits is run by looking situations up, and only where something changed.

compiled    Numba where it is installed, else plain Python: the same code
sets        sets of small integers with a next and a previous element
state       everything that an execution changes, as arrays
hearing     what nodes hear, brought up to date after a row
deciding    the next row, and what changes with it
advance     row after row
memory      the tables of situations in the form that the above reads
executor    executions of graphs
"""
