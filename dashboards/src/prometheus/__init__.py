"""Recording and alert rules, and the objectives that Sloth and Pyrra can be given."""
