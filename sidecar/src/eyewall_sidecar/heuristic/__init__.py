"""Local search: an evaluator with incremental deltas, moves, and stopping criteria."""
