"""VS Code: the agent of GitHub Copilot. No hooks of ours; it has the server, instructions and skills."""
