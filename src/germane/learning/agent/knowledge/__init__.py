"""What an agent knows: of scores, features and past queries, of judgments, and of its own decisions."""
