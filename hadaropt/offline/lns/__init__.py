"""Large-neighbourhood search: insertion at prices, in batches, and ejection chains."""
