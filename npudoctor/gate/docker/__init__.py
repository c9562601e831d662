"""Dockerfiles: their instructions, and the stages that these make."""
