"""Will a model fit: weights, KV cache, activations and the runtime's share on each card."""
