"""Confidence intervals: means, proportions, rates, areas, agreement; and the resampling behind them."""
