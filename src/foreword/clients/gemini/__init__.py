"""Gemini CLI: what it sends, and what goes into its files."""
