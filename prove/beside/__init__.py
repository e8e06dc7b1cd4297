"""What people use instead, on the same recorded runs: each is a reader of a run, and answers for every operation."""
