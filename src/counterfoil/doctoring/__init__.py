"""What `counterfoil doctor` looks at. Each check is a question asked of the surroundings that a process starts in."""
