"""Kinds of the group apps, as far as controllers here read them."""
