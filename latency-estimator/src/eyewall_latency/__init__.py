"""Delays between the hosts of a Storm cluster: measured where they were lately, else estimated.

Ecker et al. (paper 002), sections 3.4 and 5.3, and what production systems learned since.
"""
