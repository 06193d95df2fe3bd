"""The import name of MoXing scripts. Its executor, datasets and networks are not here yet."""
