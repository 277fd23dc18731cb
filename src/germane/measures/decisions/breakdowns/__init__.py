"""The tables that break a measure of decisions down: by threshold, by bin, by class."""
