"""What `runyard predict` is made of."""
