"""Paper 000's experiments, one a file; benchmarks/reproduce_000.py runs them all."""
