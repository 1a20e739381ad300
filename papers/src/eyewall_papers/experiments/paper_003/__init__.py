"""Paper 003, section 7: its experiments."""
