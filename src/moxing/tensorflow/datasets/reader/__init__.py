"""The older place of `raw`."""
