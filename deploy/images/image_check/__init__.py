"""Builds every image without a Docker engine, and runs what is in them."""
