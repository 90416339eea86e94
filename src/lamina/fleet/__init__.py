"""Fleets: many nodes rendered at once; work that they share is done once.

A fleet is a list of nodes with their inputs, from a manifest or from a dialect that knows the nodes of a folder. Nodes
are sorted by what they share, cut into batches and rendered by workers: in this process, in a pool of processes, or on
a Dask cluster. Memory does not grow with the number of nodes.
"""
