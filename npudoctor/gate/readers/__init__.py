"""One module a kind of deployment file."""
