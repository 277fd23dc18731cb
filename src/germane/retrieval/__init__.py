"""Documents in, rankings out: analysis, index, models, feedback, fusion."""
