"""The IDEs of JetBrains: Junie, whose files are edited, and AI Assistant, which only its user can set up."""
