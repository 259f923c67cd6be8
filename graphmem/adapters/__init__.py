"""Implementations of the ports, each ignorant of the others."""
