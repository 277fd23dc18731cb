"""Interactive commands."""
