"""The three steps of a build: fetch the code of a plan, check it with the real workerd, push it as an image.

Guarantees: the same plan and the same code give the same image, to the digest; no untrusted string becomes a path, an
argument or unescaped configuration; a script that is at fault is named, with exit code 42, and what may pass by
itself ends with 1; each step sees only the credentials it needs, the one that runs foreign code none.
Not guaranteed: that a script that starts also works.
"""
