"""Engines: whatever answers a query with a ranking, all asked in one way and checked in one way."""
