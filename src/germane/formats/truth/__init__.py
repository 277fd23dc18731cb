"""Readers and writers of topics, query logs, pools and judgments."""
