"""Seeded placement problems for benchmarks: the papers' own, and graphs of real clusters."""
