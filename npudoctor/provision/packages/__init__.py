"""Packages: which files a stack needs, where they are, whether they are whole, and the store of them."""
