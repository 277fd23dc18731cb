"""The base class of all commands: help, completion and usage errors."""
