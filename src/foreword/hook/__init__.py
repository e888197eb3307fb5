"""A process per client event; the whole hot path starts here. Imports hot rooms only."""
