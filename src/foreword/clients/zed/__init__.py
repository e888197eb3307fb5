"""Zed: an editor with an agent of its own. No hooks; it has the server and a block of instructions."""
