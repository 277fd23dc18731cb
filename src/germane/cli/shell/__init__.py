"""The class of all commands: help, completion, errors of usage."""
