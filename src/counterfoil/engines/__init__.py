"""Engines that people already operate, with our `fold` and `judge`: they bring partitions, timers and state."""
