"""The strategy of each built-in kind; `strategies.py` is their table of contents."""
