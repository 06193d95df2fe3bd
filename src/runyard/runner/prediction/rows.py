"""The work of a prediction: from where an earlier one stopped to the finished file."""

import time

from runyard.checkpoint.record import RunRecord
from runyard.checkpoint.store import begin_anew
from runyard.cluster.signals import StopSignals
from runyard.errors import Interrupted, RunyardError, Terminated
from runyard.predictions.parquet import require_pyarrow
from runyard.predictions.part import PartFile, Places, publish
from runyard.predictions.progress import Progress, Written
from runyard.predictions.run import PredictionRun, refuse_nothing
from runyard.predictions.writing import BackgroundWriting
from runyard.runner.job_script import load_job_script
from runyard.runner.model_sources import model_to_predict_with
from runyard.runner.plan import Plan
from runyard.runner.predict import PredictOptions, PredictResult, predict_args
from runyard.runner.prediction.assembly import Assembled, assemble
from runyard.runner.prediction.finished import finished_file, finished_rows
from runyard.runner.prediction.progress import PredictProgress
from runyard.runner.prediction.record import predict_record, refuse_changes
from runyard.runner.starting import configure_tensorflow
from runyard.telemetry import note, say
from runyard.training.randomness import draw_seed


def predict_rows(plan: Plan, *, places: Places, options: PredictOptions, earlier: RunRecord | None) -> PredictResult:
    """Puts everything together, computes a first call, and only then writes.

    Args:
        earlier: the record of the prediction to go on with.
    """
    if predict_args(plan).format == "parquet":
        require_pyarrow()
    configure_tensorflow(intra_op=0, inter_op=0, verbose=False)
    source = model_to_predict_with(plan, upstream=options.upstream)
    seed = earlier.seed if earlier else draw_seed()
    record = predict_record(plan, model=source.path, result=places.result, shard=options.shard, seed=seed)
    if earlier is not None:
        refuse_changes(earlier, record)
        rows = finished_rows(earlier, result=places.result)
        if rows is not None:
            say("This prediction is finished.")
            places.part.unlink(missing_ok=True)
            return PredictResult(places.result, rows)
    script = load_job_script(plan)
    with script.active():
        assembled = assemble(script, plan=plan, source=source, shard=options.shard, seed=seed)
        progress = Progress(places.progress)
        written = Written() if earlier is None else progress.go_back(assembled.data, part=places.part)
        return _run(assembled, places=places, options=options, record=record, progress=progress, written=written)


def _run(
    assembled: Assembled,
    *,
    places: Places,
    options: PredictOptions,
    record: RunRecord,
    progress: Progress,
    written: Written,
) -> PredictResult:
    started = time.monotonic()
    run = PredictionRun(
        assembled.forward, assembled.data, assembled.batch_size, written.rows, commit_seconds=options.commit_seconds
    )
    shown = PredictProgress(rows=written.rows, of_batches=assembled.batches)
    with StopSignals() as signals, shown:
        call = run.first()
        if written.rows:
            say(f"Going on after row {written.rows:,}.")
        else:
            if options.shard is None:
                refuse_nothing(call)
            begin_anew(places.progress)
            record.write(places.progress)
        part = PartFile(places.part, keep=written.bytes)
        writing = BackgroundWriting(part, encoder=assembled.encoder, written=written, progress=progress)
        try:
            complete = run.rest(call, writing=writing, stop=lambda: signals.received is not None, tell=shown.tell)
            writing.finish()
        finally:
            writing.stop()
            part.close()
        if writing.rows_with_nan:
            note(f"{writing.rows_with_nan:,} of {run.rows - written.rows:,} rows have an output that is NaN")
        if not complete:
            raise _stopped(signals, rows=run.rows)
        whole = assembled.encoder.finish(places.part)
        record.with_result(finished_file(whole, rows=run.rows)).write(places.progress)
        publish(whole, places.result)
        places.part.unlink(missing_ok=True)
    return PredictResult(places.result, run.rows, run.rows - written.rows, time.monotonic() - started)


def _stopped(signals: StopSignals, *, rows: int) -> RunyardError:
    """What a prediction ends with that was asked to."""
    kept = f"{rows:,} rows are kept; --resume goes on after them"
    terminated = signals.received is not None and signals.received.name == "SIGTERM"
    return Terminated(f"terminated: {kept}") if terminated else Interrupted(f"interrupted: {kept}")
