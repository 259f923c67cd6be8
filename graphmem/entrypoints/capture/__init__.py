"""Doors that notice failures by themselves: a block, a function, a command, a test run."""
