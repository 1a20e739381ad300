"""A container that is a supervisor host of a cluster file."""
