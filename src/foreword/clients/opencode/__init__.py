"""opencode: `wire` speaks with our plugin in it (hot), `install` puts the plugin and the server in (cold)."""
