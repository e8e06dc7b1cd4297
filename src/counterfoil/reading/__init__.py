"""Readers: each knows one vocabulary and turns what it sees into facts. None of them judges."""
