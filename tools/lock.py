"""Writes requirements.lock: the newest versions that fit together, with every extra, as names and versions only."""

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

root = Path(__file__).resolve().parent.parent
extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]

with tempfile.TemporaryDirectory() as folder:
    report = Path(folder) / "report.json"
    target = f"{root}[{','.join(extras)}]"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    subprocess.run([*pip, "--report", str(report), target], check=True)
    installs = json.loads(report.read_text())["install"]

pins = {item["metadata"]["name"].lower().replace("_", "-"): item["metadata"]["version"] for item in installs}
pins.pop("runyard", None)
(root / "requirements.lock").write_text("".join(f"{name}=={version}\n" for name, version in sorted(pins.items())))
print(f"pinned {len(pins)} packages")
