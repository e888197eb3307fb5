"""Windsurf, now Devin Desktop: Cascade and Devin Local. No hooks of ours; the server and instructions."""
