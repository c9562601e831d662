"""How each kind of pair is judged: one module a kind."""
