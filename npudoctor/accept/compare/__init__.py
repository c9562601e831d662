"""Whether an optimised or quantised model still says the same: logits, texts, perplexity."""
