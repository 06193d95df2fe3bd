"""One file per command."""


def main() -> None:
    """The entry point of the `runyard` program."""
    from runyard.cli.app import main as run

    run()


__all__ = ["main"]
