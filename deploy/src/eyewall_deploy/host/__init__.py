"""A host's share of the machine: its control group, and the way into its namespace."""
