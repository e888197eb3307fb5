"""The pages of the view: one module each, with a table `ROUTES`; paths stand below the run's token."""
