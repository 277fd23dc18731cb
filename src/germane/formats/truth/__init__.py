"""Topics, query logs, pools and judgments."""
