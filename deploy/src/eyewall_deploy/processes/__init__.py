"""The cluster's programs: how they are kept alive, spoken to and found ready."""
