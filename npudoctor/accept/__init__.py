"""Acceptance of what was deployed: where its time goes, whether it fits, whether it still says the same."""
