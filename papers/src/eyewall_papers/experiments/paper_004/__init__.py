"""Paper 004's experiments, one a file; benchmarks/reproduce_004.py runs them."""
