"""Storm's settings and command lines, as this project wants them."""
