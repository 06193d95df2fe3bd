"""Everything of a training that a checkpoint holds, by name."""

from runyard.checkpoint.state import Stateful
from runyard.training.engine import Engine
from runyard.training.observers.group import ObserverGroup
from runyard.training.run_state import RunState, TrainingData
from runyard.training.shard_state import SHARDS_PART, ShardStates


def checkpoint_parts(
    engine: Engine, *, data: TrainingData, observers: ObserverGroup, run: RunState
) -> dict[str, Stateful]:
    """The parts of a training. What the shards have of their own is one of them, where there are several."""
    positions = data.parts
    parts = {**engine.parts(), "data": positions[0], **observers.parts(), "fit": run}
    if engine.division.shards > 1:
        own = {
            shard.index: {**engine.parts_of_shard(place), "data": positions[place]}
            for place, shard in enumerate(engine.division.owned_by(engine.workers))
        }
        parts[SHARDS_PART] = ShardStates(engine.workers, engine.division, own)
    return parts
