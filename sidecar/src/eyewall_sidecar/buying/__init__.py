"""`eyewall provision`: what to buy, asked and shown on the command line."""
