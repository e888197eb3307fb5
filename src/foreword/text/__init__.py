"""Pure functions on text: words, budgets, frames, what must not be kept. No I/O, no state."""
