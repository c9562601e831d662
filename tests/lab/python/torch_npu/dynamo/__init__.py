"""Compilers for torch.compile."""
