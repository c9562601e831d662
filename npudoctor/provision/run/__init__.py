"""One run: a folder that outlives it, the loop over its hosts, and what came of each."""
