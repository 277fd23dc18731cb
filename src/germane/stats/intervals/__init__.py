"""Confidence intervals of means, proportions, rates, areas and agreement, and the resampling behind them."""
