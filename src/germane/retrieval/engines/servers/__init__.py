"""Engines that are servers, and how to talk to them."""
