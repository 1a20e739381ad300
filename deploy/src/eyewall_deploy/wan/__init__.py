"""The emulated wide-area network: namespaces, links with delay, and the ways in from outside."""
