"""MiMo Code of Xiaomi, a fork of opencode. No hooks; it has the server, skills and a block of text."""
