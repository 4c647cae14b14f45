"""Branch-and-price: the search, what it branches on, and its tree as a certificate."""
