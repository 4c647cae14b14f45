"""Compiled kernels: integer arrays in, tuples of integer arrays out.

Every kernel is exact on int64 and knows nothing of the rest of the package. Kernels call only
functions of their own module, because a cached kernel does not notice a change in another module.
"""
