"""The agent: trained on a judged collection, it answers queries and learns from feedback."""
