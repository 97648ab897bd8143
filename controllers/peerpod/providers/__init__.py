"""The clouds that are known here, one module each; each needs its extra."""
