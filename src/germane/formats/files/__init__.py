"""File handling: opening, writing, locking, part files and compression."""
