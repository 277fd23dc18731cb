"""Search engines behind one protocol: each answers a query with a ranking, and every answer is checked."""
