"""Mapping tasks onto networks with dedicated and public links (paper 004, sections 2 to 4)."""
