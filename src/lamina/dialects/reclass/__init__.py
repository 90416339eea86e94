"""reclass: nodes that inherit parameters from classes, as kapicorp-reclass merges them."""
