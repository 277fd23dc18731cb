"""An agent's knowledge: calibration, feature weights, past queries, judgments and its own decisions."""
