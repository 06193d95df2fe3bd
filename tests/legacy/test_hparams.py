"""`tf.contrib.training.HParams`."""

import pytest

from runyard.legacy.hparams import HParams


def test_values_are_attributes_that_keep_their_types() -> None:
    settings = HParams(rate=0.1, units=[8, 4], steps=10, shuffle=True, name="a")
    settings.parse("rate=0.5, units=[16,2],steps=20,shuffle=false,name=b c")
    assert settings.values() == {"rate": 0.5, "units": [16, 2], "steps": 20, "shuffle": False, "name": "b c"}
    settings.steps = "30"
    assert settings.steps == 30
    assert "rate" in settings
    assert settings.get("nothing", 1) == 1
    assert HParams(a=1).parse_json('{"a": 2}').to_json() == '{"a": 2}'


def test_mistakes_are_told() -> None:
    settings = HParams(rate=0.1)
    with pytest.raises(ValueError, match="speed"):
        settings.parse("speed=3")
    with pytest.raises(ValueError, match="reserved"):
        settings.add_hparam("rate", 3)
    with pytest.raises(AttributeError, match="nothing"):
        _ = settings.nothing
