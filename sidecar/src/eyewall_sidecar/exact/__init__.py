"""Exact placement: the optimum, or the best placement within a time and its bound."""

from eyewall_sidecar.exact.solve import solve

__all__ = ["solve"]
