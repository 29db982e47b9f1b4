"""The paper's two tables, reproduced: every row trained from several seeds, scored, and set beside the published figures.

rows       what the rows are, which sizes they are tested on, and what the paper published
jobs       one run of the table, from nothing or from where it was stopped to its result
results    the files of a result, checked when read
processes  many jobs at once on this machine
cluster    or on a Ray cluster
report     tables and plot from the results
page       all of it on one page
"""
