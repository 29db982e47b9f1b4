"""Whether anything is lost: kills, failed writes, damaged files, wrong weights, odd inputs.

    python -m benchmarks.torture --minutes 60

Every part draws from a seed, in a temporary directory, without any network. `__main__.py` runs all of them.

    kills.py     real processes: killed at random moments and resumed; two at once in one directory
    writes.py    each write of a run fails once, as on a full disk
    damage.py    files of runs, flipped, cut, emptied and exchanged; weights in the wrong place
    inputs.py    graph files and configurations that are nearly right
"""
