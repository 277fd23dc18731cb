"""The index: its files, its segments, and how they are written, merged and checked."""
