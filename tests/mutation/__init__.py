"""Mutation testing of the verifier: ``python -m tests.mutation``."""
