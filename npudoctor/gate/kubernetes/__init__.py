"""Kubernetes manifests: the containers of every pod that an object makes, whatever kind the object is."""
