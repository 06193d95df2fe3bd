"""Datasets of TFRecord files."""
