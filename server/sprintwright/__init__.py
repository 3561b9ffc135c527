"""Sprintwright: durable multi-agent development workflows."""

__version__ = "0.1.0"
