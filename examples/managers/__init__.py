"""Managers that are not ours, and host our controllers nevertheless."""
