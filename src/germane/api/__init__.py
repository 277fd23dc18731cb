"""The verbs of germane: each joins the other layers, from any input to one result."""
