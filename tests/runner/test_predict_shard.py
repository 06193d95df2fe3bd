from pathlib import Path

import pytest

from runyard.errors import ConfigError
from runyard.runner.prediction.shard import Shard, parse_shard


def test_a_shard_is_a_number_out_of_how_many() -> None:
    assert parse_shard("2/8") == Shard(2, 8)
    assert Shard(2, 8).index == 1
    assert Shard(2, 8).file(Path("/data/predict.csv")) == Path("/data/predict-00002-of-00008.csv")


@pytest.mark.parametrize("text", ["0/8", "9/8", "1/0", "1", "a/b", "-1/8", "1/8/2", "", "1.5/2", "٢/٨"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="such as 1/8"):
        parse_shard(text)
