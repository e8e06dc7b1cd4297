"""From what was seen, a first settings file: which tools there are, and what could be said of them. Never a value."""
