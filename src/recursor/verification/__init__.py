"""Verification: is a network right on every small input, on inputs of all sorts, and in every situation that it meets?

plan      which inputs are tried
examine   the rows of recorded executions, looked at situation by situation, or by running the network
verify    all of it, and the report
"""
