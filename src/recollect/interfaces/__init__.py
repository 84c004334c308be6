"""How is Recollect reached?

Doors only: each takes words from outside, makes a request of them, runs it, and says the answer.
What can be asked stands in `recollect.operations`; a door adds nothing to it.
"""
