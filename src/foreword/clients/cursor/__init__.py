"""Cursor: an editor with an agent of its own. No hooks of ours; it has the server and the skills."""
