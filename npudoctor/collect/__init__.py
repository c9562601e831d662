"""Obtain the raw outputs of one host: from this machine, or from a bundle."""
