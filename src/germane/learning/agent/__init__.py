"""The agent: trained on a known corpus with judgments, sent out to answer, and learning from what it is told."""
