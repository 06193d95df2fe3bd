"""What a person sees: log lines, tables, progress."""

from runyard.telemetry.console import note, say, show_error, show_table, show_text, terminal_width

__all__ = ["note", "say", "show_error", "show_table", "show_text", "terminal_width"]
