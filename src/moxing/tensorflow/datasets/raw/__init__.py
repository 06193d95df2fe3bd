"""Datasets of image files."""
