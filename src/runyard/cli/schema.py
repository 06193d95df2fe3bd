"""`runyard schema`."""

import json

from runyard.telemetry import show_text


def command() -> None:
    """Print the JSON Schema of the job file, for editors."""
    from runyard.config.schema import job_schema

    show_text(json.dumps(job_schema(), indent=2, ensure_ascii=False))
