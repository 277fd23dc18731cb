"""Files as such: opened, written, locked, in parts, compressed."""
