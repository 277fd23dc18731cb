"""The demonstration: the Python documentation of this machine, questions that programmers ask, and how to judge."""
