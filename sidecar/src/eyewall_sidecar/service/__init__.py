"""The use case: state, delays and rates in, decisions out."""
