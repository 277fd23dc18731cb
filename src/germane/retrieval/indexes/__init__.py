"""The index: its files and segments, and how they are written, merged and verified."""
