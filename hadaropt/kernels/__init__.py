"""Compiled kernels: integer arrays in, tuples of integer arrays out.

Every kernel is exact on int64 and knows nothing of the rest of the package. All are made by the
decorator of `hadaropt.kernels.dispatch`, which says when they are compiled; kernels
may call those of other modules.
"""
