"""Benchmarks: policies against proved optima, on synthetic and on real workloads."""
