"""What do the nodes of each language's syntax tree mean? One Grammar per language, grouped by kinship.

Not here: loading the parsers (grammars) and walking the trees (outline).
"""
