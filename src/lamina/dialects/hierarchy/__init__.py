"""Hierarchies: levels that lead to files, and the nodes that see them.

Several systems say the same kind of thing: a list of levels, each a pattern with facts of a node in it; every node
resolves them to files of its own. What the patterns mean, how files are read and how their values are merged is the
system's; what follows from it is here.

- `levels`: a level as it is written, and what it resolves to for a node;
- `nodes`: all nodes, each by itself, with one that fails alone, and one set of messages about them.

A dialect imports it as `lamina.plugin.hierarchy`.
"""
