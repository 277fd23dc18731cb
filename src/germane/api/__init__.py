"""The layers joined: whatever the input is, one call answers one question."""
