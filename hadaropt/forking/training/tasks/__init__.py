"""What can be trained: the task interface, scikit-learn and torch."""
