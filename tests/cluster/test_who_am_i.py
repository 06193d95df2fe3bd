import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runyard.cluster import Cluster, Member, MemberFlags, Place, Role, who_am_i
from runyard.errors import ConfigError

CLUSTER = {"worker": ["a:1", "b:1"], "ps": ["p:1"]}
WORKER_1 = Place(Cluster(worker=("a:1", "b:1"), ps=("p:1",)), Member(Role.WORKER, 1))
FLAGS = MemberFlags(job_name="worker", task_index="1", ps_hosts="p:1", worker_hosts="a:1, b:1")


def config(**changes: object) -> str:
    return json.dumps({"cluster": CLUSTER, "task": {"type": "worker", "index": 1}, **changes})


@pytest.mark.parametrize("text", [None, "", " ", "{}", '{"cluster": {}}', '{"environment": "cloud"}'])
def test_a_process_that_is_told_of_nobody_is_alone(text: str | None) -> None:
    assert who_am_i(tf_config=text) is None
    assert who_am_i(tf_config=text, flags=MemberFlags()) is None


def test_both_ways_of_telling_say_the_same() -> None:
    assert who_am_i(tf_config=config()) == WORKER_1
    assert who_am_i(flags=FLAGS) == WORKER_1
    assert who_am_i(tf_config=config(), flags=FLAGS) == WORKER_1
    assert who_am_i(tf_config=config(), flags=MemberFlags(task_index="1")) == WORKER_1


def test_what_is_written_can_be_read() -> None:
    assert who_am_i(tf_config=WORKER_1.tf_config()) == WORKER_1
    assert who_am_i(flags=MemberFlags.of(WORKER_1)) == WORKER_1
    assert MemberFlags.of(WORKER_1).arguments() == [
        "--job_name=worker",
        "--task_index=1",
        "--ps_hosts=p:1",
        "--worker_hosts=a:1,b:1",
    ]


def test_platforms_that_say_master_or_write_the_index_as_text_are_understood() -> None:
    found = who_am_i(tf_config=config(cluster={"master": ["m:1"]}, task={"type": "master", "index": "0"}))
    assert found == Place(Cluster(chief=("m:1",)), Member(Role.CHIEF, 0))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "TF_CONFIG is not JSON: Expecting property name"),
        ("[]", "TF_CONFIG is not an object"),
        (config(cluster=[1]), 'TF_CONFIG needs an object in "cluster"; it has [1]'),
        (config(task=None), 'TF_CONFIG needs an object in "task"; it has None'),
        (config(task={"type": "worker"}), 'TF_CONFIG needs a whole number as "index" of "task"; it has None'),
        (config(task={"type": "worker", "index": True}), "it has True"),
        (config(task={"type": "worker", "index": "-1"}), "it has '-1'"),
        (config(task={"type": "evaluator", "index": 0}), 'TF_CONFIG has \'evaluator\' in "type" of "task"; known are'),
        (config(task={"index": 0}), 'TF_CONFIG has None in "type" of "task"; known are chief, worker, ps, master'),
        (
            config(task={"type": "worker", "index": 2}),
            "TF_CONFIG: this process is worker 2, but the cluster has worker",
        ),
        (config(cluster={"workers": ["a:1"]}), "TF_CONFIG has 'workers' in \"cluster\"; known are"),
        (config(cluster={"worker": "a:1"}), "TF_CONFIG needs a list of addresses for 'worker'; it has 'a:1'"),
        (config(cluster={"worker": [1]}), "TF_CONFIG needs a list of addresses for 'worker'; it has [1]"),
        (config(cluster={"worker": ["a:1", "a:1"]}), "TF_CONFIG: worker 0 and worker 1 have the same address: a:1"),
        (config(cluster={"chief": ["a:1"], "master": ["b:1"]}), 'names both "chief" and "master"'),
    ],
)
def test_mistakes_in_tf_config_are_told(text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        who_am_i(tf_config=text)
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (MemberFlags(job_name="worker"), "--job_name is given without --task_index and --worker_hosts"),
        (MemberFlags(worker_hosts="a:1"), "--worker_hosts is given without --job_name and --task_index"),
        (MemberFlags(job_name="boss", task_index="0", worker_hosts="a:1"), "--job_name is 'boss'; it must be one of"),
        (MemberFlags(job_name="worker", task_index="-1", worker_hosts="a:1"), "--task_index is '-1'; it must be"),
        (
            MemberFlags(job_name="worker", task_index="1", worker_hosts="a:1"),
            "this process is worker 1, but the cluster",
        ),
        (
            MemberFlags(job_name="ps", task_index="0", worker_hosts="a:1"),
            "this process is ps 0, but the cluster has no ps",
        ),
        (MemberFlags(job_name="worker", task_index="0", worker_hosts="a:1,a:1"), "have the same address: a:1"),
    ],
)
def test_mistakes_in_flags_are_told(flags: MemberFlags, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        who_am_i(flags=flags)
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (MemberFlags(task_index="0"), "--task_index is 0, but TF_CONFIG says 1"),
        (MemberFlags(job_name="ps"), "--job_name is ps, but TF_CONFIG says worker"),
        (MemberFlags(worker_hosts="b:1,a:1"), "--worker_hosts is b:1,a:1, but TF_CONFIG says a:1,b:1"),
    ],
)
def test_two_answers_that_differ_are_told(flags: MemberFlags, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        who_am_i(tf_config=config(), flags=flags)
    assert caught.value.message == words


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["worker", "type", "x"]), inner),
)


@given(cluster=_json, task=_json)
def test_no_tf_config_ends_in_anything_but_an_answer_or_an_error(cluster: object, task: object) -> None:
    try:
        found = who_am_i(tf_config=json.dumps({"cluster": cluster, "task": task}))
    except ConfigError:
        return
    assert found is None or found.cluster.address(found.member)
