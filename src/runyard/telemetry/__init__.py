"""What a person sees: log lines, tables, progress."""

from runyard.telemetry.console import say, show_error, show_table, show_text, warn

__all__ = ["say", "show_error", "show_table", "show_text", "warn"]
