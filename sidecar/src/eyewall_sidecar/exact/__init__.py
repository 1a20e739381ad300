"""Exact placement: the integer program of paper 000, its cuts, its solver and its answers."""

from eyewall_sidecar.exact.program import create_program
from eyewall_sidecar.exact.solve import solve

__all__ = ["create_program", "solve"]
