"""What a topology did, from its event files."""
