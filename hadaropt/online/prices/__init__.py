"""Price functions, one file each: what a GPU costs when g of the c of a resource are sold.

`function` says what a price function is, `registry` lists those that have a name. In the table,
N = c - m + 1 and x = min(g, N)/N; c, m, U and L are explained in `function.Declared`.

=================  ==============================================================  =========
name               k(g)                                                            theorem
=================  ==============================================================  =========
zero_start         delta L ((1 + U/(delta L))^x - 1)                               T7
exponential        L_r (U/L_r)^x, L_r = min(U, omega u*/(2 c))                     T5
exponential_paper  L_r (U/L_r)^(g/c), L_r = u_min/(4 sum c)                        T5 if m=1
last_unit          w units cost w k(g + w - 1), k(g) = L_r (U/L_r)^(g/c)           T8
telescoped         w units cost k(g) + ... + k(g + w - 1), the same k              T8
threshold          L below tau, (alpha/c) tau L (1 + alpha/c)^(g - tau) above      T9
linear             U x                                                             T4
step               delta L (level(g) - 1), the largest table that (I) allows       T11
=================  ==============================================================  =========

Most formulas are irrational. They are evaluated in floating point, in log space; the float is then
taken as an exact number, and `rounding` rounds every price up, once, to the grid on which the
algorithm computes. Nothing is claimed of a formula: the hypotheses of its theorem are checked on
the rounded table (`hadaropt.online.hypotheses`).
"""
