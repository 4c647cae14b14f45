"""Results of experiments: cells, summaries, pairs, and the folder that holds them."""
