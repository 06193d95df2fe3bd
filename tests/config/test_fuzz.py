"""Whatever is done to a job file, it is either a job or a list of problems that can be printed."""

import copy
import json
import os
from random import Random
from typing import Any, cast

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from runyard.config import CheckedJob, InvalidJob, JobPaths, JobRequest, check_draft, draft_job, resolved_job

from .jobs import DETAIL, EXAMPLE_FILES, NOW

EXAMPLES = int(os.environ.get("RUNYARD_FUZZ_EXAMPLES", "300"))
MOST_MUTATIONS = 6

FULL_TRAIN_ARGS: dict[str, Any] = {
    "batch_size": 32,
    "epochs": 0,
    "num_samples": 1000,
    "optimizer": {
        "type": "adam",
        "args": {"learning_rate": {"type": "piecewise", "args": {"boundaries": [10], "values": [0.1, 0.01]}}},
        "grad_process": "pcgrad",
    },
    "losses": {"click": "bce", "like": {"type": "bce", "args": {"from_logits": True}, "weight": 0.5}},
    "metrics": [["auc", {"type": "gauc", "args": {"user_id_index": "uid"}}], "mse"],
    "weighted_metrics": {"click": "auc"},
    "class_weight": {"0": 1.0, "1": 3},
    "early_stopping": {"monitor": "val_auc", "mode": "max", "baseline": 0.5},
    "tensorboard": {"profile_batch": "10, 20", "update_freq": 10, "embeddings_metadata": {"layer": "a.tsv"}},
    "train_speed_logger": {"every_batches": 10},
    "model_call_exclude_input_index": [0, "uid"],
    "mw_com": "RING",
    "seed": 1,
    "checkpoint": {"every_steps": 10, "every_seconds": None, "keep": 2},
    "input": {"parallel": False, "prefetch": 2},
    "validation": {"model": "saved", "every_epochs": 2},
    "gradient": {"clip_norm": 1.0},
    "ema": {"momentum": 0.9},
    "restart": {"max_preemptions": None, "min_workers": 1},
    "train_type": "custom_loop",
    "nni_search": {"a": [1]},
}
VALID: list[dict[str, Any]] = [
    *(json.loads(file.read_text(encoding="utf-8")) for file in EXAMPLE_FILES),
    {"job_detail": {"script_name": "a.py", "train_args": FULL_TRAIN_ARGS, "num_pss": 1}, "num_workers": 3, "keras": 3},
    {
        **DETAIL,
        "test_args": {"models": ["${ONLINE_MODEL}$", {"path": "m"}], "metrics": "auc", "losses": ["mse"]},
        "pred_args": {"row_format": "{row_id}"},
        "model_args": {"deep": [[{"a": [None, True, 1e-3]}]], "date": "${DATE-1d:%Y}$"},
        "envs": {"A": "b"},
        "resources": {"limits": {"cpu": 1}},
        "clean_files": "*.tmp",
    },
]
KEYS = sorted({key for data in VALID for key in json.dumps(data).replace('"', " ").split() if key.isidentifier()})
ODD_KEYS = [
    "",
    "0",
    "in_order",
    "by_output",
    "type",
    "job_detail",
    "$schema",
    "lr",
    "训练",
    "a b",
    "\x1b[0m",
    "k" * 300,
]
ODD_STRINGS = [
    "", "auc", "adam", "0", "-1", "1,2", "9" * 5000, "a\0b", "\u2028", "\x1b[31m", "😀", "%s {0} {", "null", "../..",
    "${DATA_PATH}$", "${DATE-1d}$", "${DATE+99999999999y}$", "${NOPE}$", "${DATE:%", "${${DATE}$}$", "$" * 50,
]  # fmt: skip
ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2, 3, 10**18, 10**19, -(10**30), 10**400, 0.0, -0.0, 0.5, 1e308, 5e-324, [], {}, [[]],
    [None], {"type": "auc"}, {"type": 1}, {"type": "adam", "args": []}, {"a": {"b": {"c": "d"}}}, "bce", *ODD_STRINGS,
]  # fmt: skip
ODD_TEXT = [
    *'{}[]",:\\/#*-&<!|>%@`\n\t\r 01.eE+：，“”\0\ufeff\ud800\udfff\x85\u3000\x1b', "null", "NaN", "1e999", "/*", "//",
    "\\ud800", "\\u0000", '"a": ', '""', "&x ", "*x", "<<: *x", "---\n", "!!python/object ", "? ", "- ", "\n  ",
    "[" * 300, "{" * 300, '{"a":' * 250, "1" * 5000, "${", "}$", "''", "0x" + "f" * 4000,
]  # fmt: skip
OVERRIDES = [
    "train_args.epochs=3", "train_args.metrics[0]=auc", "train_args.optimizer.args.lr=NaN", "a=b", "=", "a", "[0]=1",
    "job_detail=3", "job_detail.train_args=null", "train_args.class_weight.0=x", "x.²=1", "best_param_path=no.json",
    'model_args={"a": "\\ud800"}', "model_args.a=\udcff", f"a[{'9' * 5000}]=1", f"epochs={'9' * 5000}", "skip=\x1b[0m",
    "test_args.models=${NOPE}$", "keras=3", "a" + ".a" * 3000 + "=1",
    "train_args.losses[99]=mse", "train_args.losses.in_order[0].x=1",
]  # fmt: skip
PATHS = {"pack_path": "/pack", "data_path": "/data"}


def places(data: object) -> list[tuple[Any, Any]]:
    """Every list and object with each of its keys or positions."""
    found: list[tuple[Any, Any]] = []
    todo = [data]
    while todo:
        here: Any = todo.pop()
        members = list(here.items()) if isinstance(here, dict) else list(enumerate(cast("list[Any]", here)))
        for key, value in members:
            found.append((here, key))
            if isinstance(value, dict | list):
                todo.append(value)
    return found


def mutate_data(data: object, random: Random) -> None:
    everywhere = places(data)
    if not everywhere:
        return
    holder, key = random.choice(everywhere)
    what = random.randrange(9)
    if what == 0:
        del holder[key]
    elif what == 1:
        holder[key] = copy.deepcopy(random.choice(ODD_VALUES))
    elif what == 2:
        holder[key] = [holder[key]] * random.randrange(1, 3)
    elif what == 3:
        holder[key] = {random.choice([*KEYS, *ODD_KEYS]): holder[key]}
    elif what == 4:
        other, other_key = random.choice(everywhere)
        if other_key in (other if isinstance(other, dict) else range(len(other))):
            holder[key] = copy.deepcopy(other[other_key])
    elif what == 5 and isinstance(holder, dict):
        holder[random.choice([*KEYS, *ODD_KEYS])] = copy.deepcopy(random.choice([holder[key], *ODD_VALUES]))
    elif what == 6 and isinstance(holder, dict):
        holder[random.choice([*KEYS, *ODD_KEYS, f"{key}s", str(key)[1:]])] = holder.pop(key)
    elif what == 7:
        holder[key] = str(holder[key])
    else:
        for _ in range(random.choice([1, 5, 50, 100])):
            holder[key] = random.choice([[holder[key]], {"a": holder[key]}])


def mutate_text(text: str, random: Random) -> str:
    start = random.randrange(len(text) + 1)
    end = min(len(text), start + random.choice([0, 0, 1, 1, 1, 2, 10, 100]))
    what = random.randrange(5)
    if what == 0:
        return text[:start] + text[end:]
    if what == 1:
        return text[:start]
    if what == 2:
        return text[:start] + text[start:end] * 2 + text[end:]
    return text[:start] + random.choice(ODD_TEXT) + text[end:]


def as_text(data: object, random: Random) -> tuple[str, str]:
    """The data as the text of a file, and the end of that file's name."""
    in_json = json.dumps(data, indent=random.choice([None, 1, 4]), ensure_ascii=random.random() < 0.5)
    if random.random() < 0.75:
        return in_json, ".json"
    try:
        return yaml.dump(data, allow_unicode=True, default_flow_style=random.choice([None, True, False])), ".yaml"
    except RecursionError:
        return in_json, ".yaml"


def outcome(request: JobRequest) -> CheckedJob:
    try:
        return check_draft(draft_job(request), factories=frozenset({"my_loss"}))
    except InvalidJob as error:
        return CheckedJob(None, list(error.problems), [])


@pytest.mark.timeout(3600)
@given(st.integers(min_value=0, max_value=2**64))
@settings(max_examples=EXAMPLES, deadline=None, derandomize="RUNYARD_FUZZ_EXAMPLES" not in os.environ, database=None)
def test_a_mutated_job_file_is_a_job_or_a_list_of_problems(tmp_path_factory: pytest.TempPathFactory, seed: int):
    random = Random(seed)
    data = copy.deepcopy(random.choice(VALID))
    for _ in range(random.randrange(MOST_MUTATIONS)):
        mutate_data(data, random)
    text, suffix = as_text(data, random)
    for _ in range(random.choice([0, 0, 1, 3])):
        text = mutate_text(text, random)
    file = tmp_path_factory.getbasetemp() / f"job{suffix}"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    overrides = random.choices(OVERRIDES, k=random.choice([0, 0, 0, 1, 3]))
    lenient = random.random() < 0.3
    checked = outcome(JobRequest(job_file=file, overrides=overrides, lenient=lenient, now=NOW, **PATHS))

    for remark in checked.remarks:
        remark.encode()
    if checked.job is None:
        assert checked.problems
        str(InvalidJob(checked.problems)).encode()
        return
    assert checked.problems == []
    shown: Any = json.loads(json.dumps(resolved_job(checked.job, JobPaths(pack=file, data=file))))["job"]
    text = json.dumps(shown)
    if "${" not in text.replace("${ONLINE_MODEL}$", ""):  # `${${DATE}$}$` becomes what is no variable
        again = outcome(JobRequest(job_text=text, now=NOW, **PATHS))
        assert again.job == checked.job, InvalidJob(again.problems)
