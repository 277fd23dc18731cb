"""Engines on a server, and the client that connects to them."""
