"""Learning from data: splits, tuning, learning to rank, and what is needed to judge a learner."""
