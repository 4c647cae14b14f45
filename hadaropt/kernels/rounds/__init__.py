"""Compiled choices of one round: who runs on which GPUs."""
