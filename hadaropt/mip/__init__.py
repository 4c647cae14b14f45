"""Linear and mixed-integer programs as arrays, and the one door to HiGHS."""
