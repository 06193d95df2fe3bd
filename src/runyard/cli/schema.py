"""`runyard schema`."""

import json

from runyard.config.schema import job_schema
from runyard.telemetry import show_text


def command() -> None:
    """Print the JSON Schema of the job file, for editors."""
    show_text(json.dumps(job_schema(), indent=2, ensure_ascii=False))
