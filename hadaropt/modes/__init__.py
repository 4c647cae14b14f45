"""What a job can do in one round: modes, the rounds that pay, sets of types, quanta of progress."""

from hadaropt.modes.mode import (
    Mode,
    Reach,
    by_progress,
    copy_modes,
    gang_modes,
    is_pooled,
    is_slowed,
)

__all__ = ["Mode", "Reach", "by_progress", "copy_modes", "gang_modes", "is_pooled", "is_slowed"]
