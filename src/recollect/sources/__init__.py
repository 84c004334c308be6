"""Where does text come from?

`walk` lists the files of a folder that are worth indexing, and says why it left others out; `read` turns
one of them into a Document; `language_of` names what it is written in; `compile_globs` makes a test of
paths from a user's globs. The reasons of every `Skipped` are the constants of `sources.reasons`.
"""

from recollect.sources.files import File, Listing, walk
from recollect.sources.globs import compile_globs
from recollect.sources.languages import language_of
from recollect.sources.readers import read

__all__ = ["File", "Listing", "compile_globs", "language_of", "read", "walk"]
