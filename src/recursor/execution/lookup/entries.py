"""Entries of the memory, found by their keys.

The memory is one array. It begins with the number of its slots, and where the arrays of decisions start; then come the slots
of a hash table with open addressing, of six numbers each; then the decisions. In plain Python a dictionary finds the slot.
"""

from recursor.execution.lookup.compiled import compilable
from recursor.execution.lookup.state import AT_MISSES, LENGTH, MISSES, UNVERIFIED

# The memory begins with these.
SLOTS, DECIDED_LOGITS, DECIDED_VALUES, DECIDED_NULLS, DECIDED_CATEGORIES, DECIDED_DIGITS, FIRST_ENTRY = range(7)
# An entry is six numbers: its table and key; then what it holds.
TABLE, KEY_A, KEY_B, NUMBER, WORD, UNVERIFIED_ENTRY, ENTRY = range(7)
# The tables; those of level r and stage s come after FIRST_LEVEL.
TYPES, GRAPHS, FIRST_LEVEL = range(3)


@compilable
def look_up(h, memory, table, a, b):
    """Returns the slot of an entry. An unknown key is noted among the misses, and gives -1."""
    slot = slot_of(memory, table, a, b)
    if slot < 0:
        at = 3 * h[MISSES]
        if at < h[AT_MISSES + LENGTH]:
            h[h[AT_MISSES] + at], h[h[AT_MISSES] + at + 1], h[h[AT_MISSES] + at + 2] = table, a, b
            h[MISSES] += 1
    elif memory[slot + UNVERIFIED_ENTRY]:
        h[UNVERIFIED] = 1
    return slot


@compilable
def put(slots, entries):
    """Puts entries, [m, 6], into free slots."""
    count = len(slots) // ENTRY
    for at in range(len(entries)):
        slot = _first_slot(entries[at, TABLE], entries[at, KEY_A], entries[at, KEY_B], count)
        while slots[ENTRY * slot] >= 0:
            slot = (slot + 1) & (count - 1)
        for place in range(ENTRY):
            slots[ENTRY * slot + place] = entries[at, place]


@compilable
def _first_slot(table, a, b, slots):
    return ((a * 40503 + (b & 0x7FFFFFFF) * 2654435 + (b >> 31) * 69069 + table * 7919) >> 3) & (slots - 1)


def _probe(memory, table, a, b):
    """Returns where the entry with the key (a, b) of a table starts; -1 if there is none."""
    slots = memory[SLOTS]
    slot = _first_slot(table, a, b, slots)
    while True:
        at = FIRST_ENTRY + ENTRY * slot
        if memory[at] < 0:
            return -1
        if memory[at] == table and memory[at + KEY_A] == a and memory[at + KEY_B] == b:
            return at
        slot = (slot + 1) & (slots - 1)


def _find_plainly(memory, table, a, b):
    """The same in a dictionary."""
    return memory.found.get((table, a, b), -1)


slot_of = compilable(_find_plainly, body=_probe)
