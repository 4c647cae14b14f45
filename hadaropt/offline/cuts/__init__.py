"""Cuts of the configuration LP: lifted covers and packings of one round."""
