"""Compose files: their services with everything substituted and merged that Compose itself would."""
