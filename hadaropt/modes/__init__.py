"""What a job can do in one round: modes, the rounds that pay, sets of types, quanta of progress."""
