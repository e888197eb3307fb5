"""Foreword: a memory for coding agents that lasts between sessions. Imports nothing."""

__version__ = "0.1.0"
