"""Bringing the cluster up, looking at it, changing it and taking it down."""
