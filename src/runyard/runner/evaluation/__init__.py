"""What `runyard evaluate` is made of."""
