"""Results as people and programs read them. No arithmetic here."""
