"""What a topology did, read from its event files and from Nimbus."""
