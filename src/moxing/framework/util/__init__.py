"""Small things that scripts import by name."""
