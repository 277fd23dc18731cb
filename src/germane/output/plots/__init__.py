"""Figures as Vega-Lite specs: functions that take rows and return plain dicts. They draw; they compute nothing."""
