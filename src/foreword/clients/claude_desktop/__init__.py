"""Claude Desktop: a chat program without projects' folders. No hooks; it has the server and nothing else."""
