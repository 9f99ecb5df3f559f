"""Writes the sample landscape from its compact description in `samples/landscape`. See samples/README.md."""
