"""Audits of real logs: the recorded schedule, what no schedule can beat, and what lies between.

`log` makes a trace a log to audit, `fit` holds its schedule to the cluster, `waiting` measures
it, `bounds`, `prices` and `floor` prove what no schedule can beat in continuous time, `replay` and
`rounds` schedule the same jobs anew, `whatif` and `changed` change the cluster or the load,
`report` is the door, `sentences` and `tables` say it.
"""
