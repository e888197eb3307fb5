"""Cline: an agent in editors and in the terminal. No hooks of ours; the server, a rule and skills."""
