"""The job file: read, checked and explained without TensorFlow."""

from runyard.config.drafting import JobDraft, JobRequest, draft_job
from runyard.config.job import Job, JobDetail
from runyard.config.loading import CheckedJob, check_draft, load_job
from runyard.config.paths import JobPaths
from runyard.config.problems import InvalidJob, JsonPath, Problem, nearest_name, show_path
from runyard.config.resolved import resolved_job
from runyard.config.schema import job_schema
from runyard.config.specs import LossSpec, MetricSpec, OptimizerSpec
from runyard.config.train_args import TrainArgs

__all__ = [
    "CheckedJob",
    "InvalidJob",
    "Job",
    "JobDetail",
    "JobDraft",
    "JobPaths",
    "JobRequest",
    "JsonPath",
    "LossSpec",
    "MetricSpec",
    "OptimizerSpec",
    "Problem",
    "TrainArgs",
    "check_draft",
    "draft_job",
    "job_schema",
    "load_job",
    "nearest_name",
    "resolved_job",
    "show_path",
]
