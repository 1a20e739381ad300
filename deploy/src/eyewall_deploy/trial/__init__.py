"""Comparison of schedulers on one cluster under a given load."""
