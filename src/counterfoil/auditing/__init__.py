"""Judging what files hold: everything is taken in first, in any order, and then each operation is judged once."""
