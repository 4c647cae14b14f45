"""Errors of the trace loaders."""


class TraceError(ValueError):
    """A trace file that cannot be read; the message names file, line and rule."""
