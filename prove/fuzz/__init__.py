"""Coverage-guided fuzzing of everything that reads what others wrote: bytes in, one promise that must hold."""
