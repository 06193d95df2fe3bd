import json
import subprocess
import sys
from pathlib import Path

import pytest

import runyard.config
from runyard.config.aliases import fold
from runyard.config.arguments import ArgumentMistake, check_arguments
from runyard.config.known_names import (
    Kind,
    KnownName,
    find,
    names,
    nearest,
    spellings,
)

OPTIMIZERS = {
    "Adam": "adam",
    "Adamax": "adamax",
    "Adadelta": "adadelta",
    "Adagrad": "adagrad",
    "Nadam": "nadam",
    "RMSprop": "rmsprop",
    "SGD": "sgd",
    "Ftrl": "ftrl",
    "ProximalAdagrad": "padagrad proximaladagrad",
}
LOSSES_AND_METRICS = {
    "BinaryCrossentropy": "binary_cross_entropy binary_crossentropy bin_cross_entropy bin_crossentropy bce",
    "CategoricalCrossentropy": (
        "categorical_cross_entropy categorical_crossentropy cate_cross_entropy cate_crossentropy cce"
    ),
    "CategoricalHinge": "categorical_hinge catehinge cate_hinge chinge ch",
    "CosineSimilarity": "cosine_similarity cossim cos_sim cossimilarity cos_similarity cs",
    "KLDivergence": "kullback_leibler_divergence kld",
    "MeanAbsoluteError": "mean_absolute_error mean_abs_error mae",
    "MeanAbsolutePercentageError": "mean_absolute_percentage_error mean_abs_percent_error mape",
    "MeanSquaredError": "mean_squared_error mean_square_error mse",
    "MeanSquaredLogarithmicError": ("mean_squared_logarithmic_error mean_squared_log_error mean_square_log_error msle"),
    "SparseCategoricalCrossentropy": (
        "sparse_categorical_crossentropy sparse_cate_crossentropy sparse_categorical_cross_entropy"
        " sparse_cate_crosse_entropy scce"
    ),
}
LOSSES = {
    **LOSSES_AND_METRICS,
    "Hinge": "hinge",
    "Huber": "huber",
    "BPR": "bpr bpr_loss",
    "PairHinge": "phinge pair_hinge pair_hinge_loss",
    "LogCosh": "log_cosh logcosh",
    "Poisson": "poisson",
    "SquaredHinge": "squared_hinge",
}
METRICS = {
    **LOSSES_AND_METRICS,
    "Accuracy": "accuracy acc",
    "AUC": "auc",
    "BinaryAccuracy": "binary_accuracy binary_acc bin_acc bacc",
    "CategoricalAccuracy": "categorical_accuracy categorical_acc cate_accuracy cate_acc cacc",
    "Precision": "precision prec",
    "PrecisionAtRecall": "precision_at_recall prec_at_recall precision@recall prec@recall",
    "Recall": "recall",
    "RecallAtPrecision": "recall_at_precision recall_at_prec recall@precision recall@prec",
    "RootMeanSquaredError": "root_mean_squared_error root_mean_square_error rmse",
    "SparseCategoricalAccuracy": (
        "sparse_categorical_accuracy sparse_categorical_acc sparse_cate_accuracy sparse_cate_acc scacc"
    ),
    "SparseTopKCategoricalAccuracy": (
        "sparse_top_k_categorical_accuracy sparse_top_k_categorical_acc sparse_top_k_cate_accuracy"
        " sparse_top_k_cate_acc sparse_top_k_cacc s_top_k_cacc"
    ),
    "TopKCategoricalAccuracy": (
        "top_k_categorical_accuracy top_k_categorical_acc top_k_cate_accuracy top_k_cate_acc top_k_cacc"
    ),
    "F1": "f1 f1s f1score f1_score",
    "GAUC": "gauc grouped_auc",
    "PairOrderAccuracy": "po_acc pair_order_acc pair_order_accuracy",
    "NDCG": "ndcg",
    "MRR": "mrr mean_reciprocal_rank",
    "HitRate": "hit_rate hr",
    "LogLoss": "log_loss logloss",
    "Calibration": "calibration pcoc",
    "ECE": "ece expected_calibration_error",
    "LogCoshError": "log_cosh logcosh",
}
TABLES = {Kind.OPTIMIZER: OPTIMIZERS, Kind.LOSS: LOSSES, Kind.METRIC: METRICS}

LISTING = json.loads(Path(runyard.config.__file__).with_name("keras_names.json").read_text(encoding="utf-8"))


def known(kind: Kind, name: str) -> KnownName:
    found = find(kind, name)
    assert found is not None, name
    return found


def mistakes(kind: Kind, name: str, /, **args: object) -> list[ArgumentMistake]:
    return check_arguments(kind, known(kind, name), args)


def only_mistake(kind: Kind, name: str, /, **args: object) -> ArgumentMistake:
    (mistake,) = mistakes(kind, name, **args)
    return mistake


@pytest.mark.parametrize("kind", Kind)
def test_every_alias_finds_its_class_in_any_case(kind: Kind) -> None:
    for class_name, aliases in TABLES[kind].items():
        for alias in aliases.split():
            assert known(kind, alias).class_name == class_name
            assert known(kind, alias.upper()).class_name == class_name


@pytest.mark.parametrize("kind", Kind)
def test_every_keras_class_is_found_by_its_own_name(kind: Kind) -> None:
    for class_name, versions in LISTING[kind.value]["classes"].items():
        found = known(kind, class_name)
        assert (found.class_name, found.own) == (class_name, False)
        assert found.keras == {int(version) for version in versions}


def test_underscores_dashes_and_blanks_do_not_count() -> None:
    for name in ("Binary Crossentropy", "binary-cross-entropy", " BinaryCrossentropy "):
        assert known(Kind.LOSS, name).class_name == "BinaryCrossentropy"


@pytest.mark.parametrize("kind", Kind)
def test_no_name_stands_for_two_classes(kind: Kind) -> None:
    meanings: dict[str, set[str]] = {}
    for spelling, class_name in spellings(kind):
        meanings.setdefault(fold(spelling), set()).add(class_name)
    assert {name: classes for name, classes in meanings.items() if len(classes) > 1} == {}


@pytest.mark.parametrize("kind", Kind)
def test_the_listed_names_are_one_for_each_class(kind: Kind) -> None:
    classes = [known(kind, name).class_name for name in names(kind)]
    assert len(classes) == len(set(classes))
    assert set(classes) == {class_name for _, class_name in spellings(kind)}


@pytest.mark.parametrize("kind", Kind)
def test_an_unknown_name_is_not_found(kind: Kind) -> None:
    for name in ("", "nonsense", "Optimizer", "Loss", "Metric", "Mean", "MeanMetricWrapper", "LossScaleOptimizer"):
        assert find(kind, name) is None


def test_a_misspelt_name_has_a_nearest_one() -> None:
    assert nearest(Kind.OPTIMIZER, "adma") == "adam"
    assert nearest(Kind.LOSS, "phige") == "phinge"
    assert nearest(Kind.METRIC, "f1_scor") == "f1_score"
    assert nearest(Kind.METRIC, "") is None
    assert nearest(Kind.METRIC, "????") is None


def test_own_classes_work_with_both_keras_versions() -> None:
    for kind, name in ((Kind.OPTIMIZER, "padagrad"), (Kind.LOSS, "bpr"), (Kind.METRIC, "gauc")):
        assert known(kind, name).own
        assert known(kind, name).keras == {2, 3}


def test_a_class_of_one_keras_version_says_so() -> None:
    assert known(Kind.OPTIMIZER, "muon").keras == {3}
    assert known(Kind.METRIC, "MeanRelativeError").keras == {2}


def test_parameters_are_those_of_both_keras_versions() -> None:
    parameters = known(Kind.OPTIMIZER, "adam").parameters
    assert {"jit_compile", "gradient_accumulation_steps", "clipnorm", "use_ema"} <= set(parameters)
    assert parameters["beta_2"].default == 0.999
    assert known(Kind.METRIC, "prec@recall").parameters["recall"].required


@pytest.mark.parametrize("kind", Kind)
def test_every_class_accepts_its_own_defaults(kind: Kind) -> None:
    for class_name in {class_name for _, class_name in spellings(kind)}:
        parameters = known(kind, class_name).parameters.values()
        defaults = {parameter.name: parameter.default for parameter in parameters if not parameter.required}
        needed = {parameter.name: 1 for parameter in parameters if parameter.required}
        assert mistakes(kind, class_name, **defaults, **needed) == []


@pytest.mark.parametrize(
    ("kind", "name", "args"),
    [
        (Kind.OPTIMIZER, "adam", {"lr": 0.1}),
        (Kind.OPTIMIZER, "adam", {"lr": 0.1, "learning_rate": 0}),
        (Kind.OPTIMIZER, "adam", {"learning_rate": {"type": "cosine", "args": {}}, "amsgrad": True}),
        (Kind.OPTIMIZER, "sgd", {"clipnorm": 1, "weight_decay": None, "momentum": 0.9, "name": "slow"}),
        (Kind.OPTIMIZER, "padagrad", {"lr": 0.1, "l1_regularization_strength": 1}),
        (Kind.LOSS, "bce", {"from_logits": True, "label_smoothing": 0.1}),
        (Kind.LOSS, "phinge", {"margin": 0}),
        (Kind.LOSS, "CategoricalFocalCrossentropy", {"alpha": [0.25, 0.75]}),
        (Kind.METRIC, "f1", {"thresholds": [0.3, 0.5], "class_id": 1}),
        (Kind.METRIC, "auc", {"thresholds": 0.5, "curve": "PR"}),
        (Kind.METRIC, "gauc", {"user_id_index": "uid", "sample_size": 10}),
        (Kind.METRIC, "prec@recall", {"recall": 0.5}),
        (Kind.METRIC, "ndcg", {"user_id_index": "uid", "k": None}),
        (Kind.METRIC, "hit_rate", {"user_id_index": 0, "k": 10}),
        (Kind.METRIC, "log_loss", {"user_id_index": None, "from_logits": True}),
        (Kind.METRIC, "ece", {"bins": 20, "user_id_index": "uid"}),
    ],
)
def test_good_arguments_pass(kind: Kind, name: str, args: dict[str, object]) -> None:
    assert mistakes(kind, name, **args) == []


@pytest.mark.parametrize(
    ("kind", "name", "args"),
    [
        (Kind.OPTIMIZER, "adam", {"learning_rate": -0.1}),
        (Kind.OPTIMIZER, "adam", {"learning_rate": float("nan")}),
        (Kind.OPTIMIZER, "adam", {"lr": "0.1"}),
        (Kind.OPTIMIZER, "adam", {"lr": True}),
        (Kind.OPTIMIZER, "adam", {"beta_1": float("inf")}),
        (Kind.OPTIMIZER, "adam", {"beta_1": 10**400}),
        (Kind.OPTIMIZER, "adam", {"amsgrad": 1}),
        (Kind.OPTIMIZER, "adam", {"clipnorm": "1"}),
        (Kind.OPTIMIZER, "adam", {"name": 3}),
        (Kind.LOSS, "bce", {"from_logits": "true"}),
        (Kind.LOSS, "bce", {"label_smoothing": False}),
        (Kind.LOSS, "bce", {"reduction": 1}),
        (Kind.LOSS, "phinge", {"margin": -1}),
        (Kind.LOSS, "phinge", {"margin": None}),
        (Kind.METRIC, "f1", {"thresholds": "0.5"}),
        (Kind.METRIC, "f1", {"thresholds": [0.5, "0.7"]}),
        (Kind.METRIC, "prec@recall", {"recall": 2}),
        (Kind.METRIC, "gauc", {"user_id_index": -1}),
        (Kind.METRIC, "ndcg", {"user_id_index": 0, "k": 0}),
        (Kind.METRIC, "mrr", {"user_id_index": 0, "k": 2.5}),
        (Kind.METRIC, "hit_rate", {"user_id_index": 0, "k": None}),
        (Kind.METRIC, "ece", {"bins": True}),
        (Kind.METRIC, "log_loss", {"user_id_index": -1}),
    ],
)
def test_a_value_that_does_not_fit_is_one_mistake(kind: Kind, name: str, args: dict[str, object]) -> None:
    mistake = only_mistake(kind, name, **args)
    assert mistake.argument in args
    assert mistake.received is not None
    assert mistake.allowed is not None


def test_a_wrong_value_is_shown_as_json_with_what_is_allowed() -> None:
    mistake = only_mistake(Kind.LOSS, "phinge", margin="0.5")
    assert mistake.message == "PairHinge cannot take this value for 'margin'"
    assert mistake.received == '"0.5"'
    assert mistake.allowed == "a finite number >= 0"


def test_an_unknown_argument_names_the_nearest_one() -> None:
    mistake = only_mistake(Kind.LOSS, "bce", from_logit=True)
    assert mistake.message == "BinaryCrossentropy has no argument 'from_logit'"
    assert mistake.nearest == "from_logits"
    assert mistake.allowed is not None
    assert "label_smoothing" in mistake.allowed


def test_lr_is_an_argument_of_optimizers_only() -> None:
    assert only_mistake(Kind.LOSS, "bce", lr=0.1).argument == "lr"


@pytest.mark.parametrize(
    ("kind", "name", "argument"),
    [
        (Kind.LOSS, "phinge", "margin"),
        (Kind.METRIC, "gauc", "user_id_index"),
        (Kind.METRIC, "ndcg", "user_id_index"),
        (Kind.METRIC, "recall@prec", "precision"),
    ],
)
def test_a_missing_required_argument_is_a_mistake(kind: Kind, name: str, argument: str) -> None:
    mistake = only_mistake(kind, name)
    assert mistake.argument == argument
    assert "needs the argument" in mistake.message


def test_all_mistakes_are_found_at_once() -> None:
    found = mistakes(Kind.LOSS, "phinge", nmae="x", reduction=3)
    assert [mistake.argument for mistake in found] == ["nmae", "reduction", "margin"]


def test_looking_up_names_imports_no_tensorflow() -> None:
    program = (
        "import sys; from runyard.config.known_names import Kind, find; find(Kind.LOSS, 'bce');"
        "sys.exit(', '.join({'tensorflow', 'keras', 'tf_keras', 'numpy'} & set(sys.modules)))"
    )
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert child.stderr.strip() == ""
