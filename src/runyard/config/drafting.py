"""From a job file and a command line to a draft: read, with everything in its place, but not checked yet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import cast

from runyard.config.arrangement import arrange, place_in_file
from runyard.config.best_parameters import Tuned, apply_best_parameters, best_param_path
from runyard.config.document import Document, parse_document, read_document
from runyard.config.job import JOB_DETAIL
from runyard.config.key_homes import where_it_belongs
from runyard.config.mistakes import Mistake, show_value
from runyard.config.overrides import Override, apply_overrides, json_hint, parse_override
from runyard.config.paths import JobPaths, find_job_paths
from runyard.config.problems import InvalidJob, JsonPath, Problem, show_path
from runyard.config.truth_words import truth_words
from runyard.config.variables import Variables, expand


@dataclass(frozen=True)
class JobRequest:
    """What the command line says about a job.

    Args:
        overrides: `KEY=VALUE`, as `--set` has it.
        options: how those were written that came from another option: `{"num_workers=4": "--workers 4"}`.
    """

    job_file: Path | None = None
    job_text: str | None = None
    pack_path: str | None = None
    data_path: str | None = None
    overrides: Sequence[str] = ()
    lenient: bool = False
    now: datetime | None = None
    options: Mapping[str, str] = field(default_factory=dict[str, str])

    def with_option(self, option: str, value: object, *, key: str) -> "JobRequest":
        """The same, with a value of the job that has an option of its own."""
        override = f"{key}={value}"
        options = {**self.options, override: f"{option} {value}"}
        return replace(self, overrides=(*self.overrides, override), options=options)


@dataclass(frozen=True)
class JobDraft:
    """A job file that has been read, with overrides and variables in place, but not checked yet."""

    document: Document
    written: object
    arranged: dict[str, object]
    paths: JobPaths
    sources: dict[JsonPath, str]
    """Which places did not come from the file but from `--set` or from `best_param_path`."""
    problems: list[Problem]
    remarks: list[str]
    lenient: bool
    with_variables: dict[str, object]
    """`arranged` as it was before variables were replaced."""

    @property
    def script_path(self) -> Path | None:
        name = self.section("script_name")
        return self.paths.in_pack(name) if isinstance(name, str) and name else None

    def section(self, name: str) -> object:
        """A part of `job_detail`, unchecked."""
        detail = self.arranged.get(JOB_DETAIL)
        return cast("dict[str, object]", detail).get(name) if isinstance(detail, dict) else None

    def unexpanded(self, section: str, key: str) -> object:
        """A value of `job_detail` with its `${...}$` still in it, unchecked."""
        detail = self.with_variables.get(JOB_DETAIL)
        found = cast("dict[str, object]", detail).get(section) if isinstance(detail, dict) else None
        return cast("dict[str, object]", found).get(key) if isinstance(found, dict) else None

    def problem(self, mistake: Mistake) -> Problem:
        """A mistake with its place in the file, or on the command line."""
        place = place_in_file(self.written, mistake.path)
        source = self.source_of(mistake.path)
        return Problem(
            mistake.message,
            source=source or self.document.source,
            line=None if source else self.document.line_of(place),
            path=place,
            received=mistake.received,
            allowed=mistake.allowed,
            nearest=mistake.nearest,
            hint=mistake.hint or self._home_of(mistake.key) or (json_hint(source) if source else None),
        )

    def source_of(self, path: JsonPath) -> str | None:
        """What on the command line has said what stands there; None if it was the file."""
        return self._source_outside_the_file(place_in_file(self.written, path))

    def _home_of(self, key: str | None) -> str | None:
        if key is None:
            return None
        return where_it_belongs(key, wrapped=JOB_DETAIL in cast("dict[str, object]", self.written))

    def _source_outside_the_file(self, place: JsonPath) -> str | None:
        for length in range(len(place), 0, -1):
            if place[:length] in self.sources:
                return self.sources[place[:length]]
        if place in self.document.lines:
            return None
        # An object that is there only because something was put into it.
        return next((source for added, source in self.sources.items() if added[: len(place)] == place), None)


def draft_job(request: JobRequest) -> JobDraft:
    """Reads the file and puts overrides and variables in place.

    Raises:
        InvalidJob: if the file cannot be read or is not well formed.
    """
    document = _read(request)
    paths = find_job_paths(job_file=request.job_file, pack_path=request.pack_path, data_path=request.data_path)
    parsed = [parse_override(text, option=request.options.get(text)) for text in request.overrides]
    overrides = [override for override in parsed if isinstance(override, Override)]
    variables = Variables(str(paths.pack), str(paths.data), request.now or datetime.now())

    tuned = _tuned(document.data, overrides=overrides, variables=variables, paths=paths)
    overridden = apply_overrides(tuned.data, overrides)
    written, unknown = expand(overridden.data, variables=variables)
    if not isinstance(written, dict):
        received = show_value(document.data)
        raise InvalidJob([Problem("a job file holds one object {...}", source=document.source, received=received)])
    written = cast("dict[str, object]", written)
    arranged, misplaced = arrange(written)
    draft = JobDraft(
        document=document,
        written=written,
        arranged=arranged,
        paths=paths,
        sources=_latest([*tuned.sources.items(), *overridden.sources.items()]),
        problems=[*(problem for problem in parsed if isinstance(problem, Problem)), *overridden.problems],
        remarks=[f"{show_path(path)}: {text}" for path, text in truth_words(document.data)] if document.is_yaml else [],
        lenient=request.lenient,
        with_variables=arrange(cast("dict[str, object]", overridden.data))[0],
    )
    for mistake in [*tuned.mistakes, *unknown, *misplaced]:
        if draft.lenient and mistake.forgivable:
            draft.remarks.append(f"left out: {draft.problem(mistake)}")
        else:
            draft.problems.append(draft.problem(mistake))
    return draft


def _read(request: JobRequest) -> Document:
    if request.job_text is not None:
        text = request.job_text.strip()
        # Launchers of the original pass the whole text in quotes.
        if len(text) > 1 and text[0] in "'\"" and text[0] == text[-1]:
            text = text[1:-1]
        return parse_document(text, source="--job")
    if request.job_file is None:
        raise InvalidJob([Problem("no job file was given")])
    return read_document(request.job_file)


def _tuned(data: object, *, overrides: Sequence[Override], variables: Variables, paths: JobPaths) -> Tuned:
    """The data with the parameters that a search found. Where they are may be said in the file or by `--set`."""
    final, _ = expand(apply_overrides(data, overrides).data, variables=variables)
    file_name = best_param_path(final)
    if file_name is None or not isinstance(data, dict):
        return Tuned(data)
    return apply_best_parameters(cast("object", data), file=paths.in_data(file_name))


def _latest(sources: Iterable[tuple[JsonPath, str]]) -> dict[JsonPath, str]:
    """Where values came from, when later ones replaced earlier ones with all that was below them."""
    latest: dict[JsonPath, str] = {}
    for place, source in sources:
        latest = {other: text for other, text in latest.items() if other[: len(place)] != place}
        latest[place] = source
    return latest
