"""Classes: nodes of one copy that have the same type and hear the same along edges and in further orders.

A class is a set of nodes. The classes of a copy that have nodes are a doubly linked list. A class is never forgotten, but
the set of one without nodes is given to another.
"""

from recursor.execution.lookup.compiled import compilable
from recursor.execution.lookup.sets import insert, remove
from recursor.execution.lookup.state import (
    AT_CLASS_BACK,
    AT_CLASS_COPY,
    AT_CLASS_HASH,
    AT_CLASS_HEARD,
    AT_CLASS_NEXT,
    AT_CLASS_NUMBER,
    AT_CLASS_SITUATIONS,
    AT_CLASS_SIZE,
    AT_CLASS_TREE,
    AT_CLASS_TYPE,
    AT_CLASS_WORD,
    AT_CLASSES,
    AT_FREE_TREES,
    AT_HEADS,
    AT_TOUCH_MARKS,
    AT_TOUCHED,
    AT_TREES,
    CLASSES,
    COPY,
    FREE_TREES,
    LENGTH,
    NEXT_TREE,
    NODES,
    ROUNDS,
    TOUCH_MARK,
    TOUCHED,
    TREE_WORDS,
    WORK,
)


def _probe(h, copy, kind, old, level, heard):
    """Returns the class that is `old` (-1: hears nothing) with another type and another word in a round (-1: none), and
    where its number belongs in the hash table. The class is -1 if there is none."""
    rounds, last = h[ROUNDS], h[AT_CLASS_HASH + LENGTH] - 1
    place = kind * 7919 + copy * 104729
    for r in range(rounds):
        word = heard if r == level else (h[h[AT_CLASS_HEARD] + old * rounds + r] if old >= 0 else 0)
        place = (place * 40503 + (word & 0x7FFFFFFF) * 2654435 + (word >> 31) * 69069) & 0xFFFFFFFFFFF
    place = (place >> 4) & last
    while h[h[AT_CLASS_HASH] + place] >= 0:
        found = h[h[AT_CLASS_HASH] + place]
        if h[h[AT_CLASS_TYPE] + found] == kind and h[h[AT_CLASS_COPY] + found] == copy:
            same = True
            for r in range(rounds):
                word = heard if r == level else (h[h[AT_CLASS_HEARD] + old * rounds + r] if old >= 0 else 0)
                same = same and h[h[AT_CLASS_HEARD] + found * rounds + r] == word
            if same:
                return found, place
        place = (place + 1) & last
    return -1, place


def _find_plainly(h, copy, kind, old, level, heard):
    """The same in a dictionary."""
    rounds = h[ROUNDS]
    first = h[AT_CLASS_HEARD] + old * rounds
    words = h[first : first + rounds] if old >= 0 else [0] * rounds
    if level >= 0:
        words[level] = heard
    key = (copy, kind, *words)
    return h.found.get(key, -1), key


def _keep_by_hash(h, place, number):
    h[h[AT_CLASS_HASH] + place] = number


def _keep_plainly(h, place, number):
    h.found[place] = number


find_class = compilable(_find_plainly, body=_probe)
keep_class = compilable(_keep_plainly, body=_keep_by_hash)


@compilable
def hash_classes(h):
    """Fills the hash table of classes anew."""
    for number in range(h[CLASSES]):
        _, place = find_class(h, h[h[AT_CLASS_COPY] + number], h[h[AT_CLASS_TYPE] + number], number, -1, 0)
        keep_class(h, place, number)


@compilable
def has_room(h):
    """Returns whether there is room for one more class with nodes."""
    trees = h[FREE_TREES] > 0 or (h[NEXT_TREE] + 1) * h[TREE_WORDS] <= h[AT_TREES + LENGTH]
    return trees and h[CLASSES] < h[AT_CLASS_TYPE + LENGTH]


@compilable
def members(h, group):
    """Returns where the set of a class's nodes starts."""
    return h[AT_TREES] + h[h[AT_CLASS_TREE] + group] * h[TREE_WORDS]


@compilable
def class_of(h, node):
    """Returns the class of a node in this copy; -1 if it has none yet."""
    return h[h[AT_CLASSES] + h[COPY] * h[NODES] + node]


@compilable
def move(h, node, kind, number, word, level, heard):
    """Moves a node to the class with another type, or with another word heard in a round (level -1: the same words).

    Args:
        h: The state.
        node: The node.
        kind: Its type.
        number: The situation of this type before the first round.
        word: What this type says in the first round.
        level: The round in which the node hears something else; -1: none.
        heard: What it hears then.
    """
    old = class_of(h, node)
    new, place = find_class(h, h[COPY], kind, old, level, heard)
    if new < 0:
        new = add_class(h, place, kind, number, word, old)
        if level >= 0:
            h[h[AT_CLASS_HEARD] + new * h[ROUNDS] + level] = heard
    if new == old:
        return
    if old >= 0:
        remove(h, members(h, old), node)
        h[h[AT_CLASS_SIZE] + old] -= 1
        if h[h[AT_CLASS_SIZE] + old] == 0:
            unlist(h, old)
    if h[h[AT_CLASS_SIZE] + new] == 0:
        enlist(h, new)
    insert(h, members(h, new), node)
    h[h[AT_CLASS_SIZE] + new] += 1
    h[h[AT_CLASSES] + h[COPY] * h[NODES] + node] = new
    h[WORK] += 1
    touch(h, node)


@compilable
def add_class(h, place, kind, number, word, old):
    """Adds a class without nodes that hears what another does (-1: nothing), and returns its number."""
    rounds, new = h[ROUNDS], h[CLASSES]
    h[CLASSES] += 1
    keep_class(h, place, new)
    h[h[AT_CLASS_COPY] + new], h[h[AT_CLASS_TYPE] + new] = h[COPY], kind
    h[h[AT_CLASS_NUMBER] + new], h[h[AT_CLASS_WORD] + new] = number, word
    h[h[AT_CLASS_TREE] + new], h[h[AT_CLASS_SIZE] + new] = -1, 0
    for r in range(rounds):
        h[h[AT_CLASS_HEARD] + new * rounds + r] = h[h[AT_CLASS_HEARD] + old * rounds + r] if old >= 0 else 0
        h[h[AT_CLASS_SITUATIONS] + 3 * (new * rounds + r)] = -1
    return new


@compilable
def enlist(h, group):
    """Gives a class a set, and puts it first in the list of its copy."""
    if h[FREE_TREES] > 0:
        h[FREE_TREES] -= 1
        h[h[AT_CLASS_TREE] + group] = h[h[AT_FREE_TREES] + h[FREE_TREES]]
    else:
        h[h[AT_CLASS_TREE] + group] = h[NEXT_TREE]
        h[NEXT_TREE] += 1
    head = h[h[AT_HEADS] + h[COPY]]
    h[h[AT_CLASS_NEXT] + group], h[h[AT_CLASS_BACK] + group] = head, -1
    if head >= 0:
        h[h[AT_CLASS_BACK] + head] = group
    h[h[AT_HEADS] + h[COPY]] = group


@compilable
def unlist(h, group):
    """Takes a class without nodes out of the list of its copy; its set becomes free."""
    h[h[AT_FREE_TREES] + h[FREE_TREES]] = h[h[AT_CLASS_TREE] + group]
    h[FREE_TREES] += 1
    h[h[AT_CLASS_TREE] + group] = -1
    before, after = h[h[AT_CLASS_BACK] + group], h[h[AT_CLASS_NEXT] + group]
    if before >= 0:
        h[h[AT_CLASS_NEXT] + before] = after
    else:
        h[h[AT_HEADS] + h[COPY]] = after
    if after >= 0:
        h[h[AT_CLASS_BACK] + after] = before


@compilable
def touch(h, node):
    """Notes that the class of a node changed."""
    if h[h[AT_TOUCH_MARKS] + node] != h[TOUCH_MARK]:
        h[h[AT_TOUCH_MARKS] + node] = h[TOUCH_MARK]
        h[h[AT_TOUCHED] + h[TOUCHED]] = node
        h[TOUCHED] += 1
