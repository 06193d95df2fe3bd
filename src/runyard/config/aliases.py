"""The names that job files use for optimizers, losses and metrics: each class with its spellings, usual one first."""

from collections.abc import Mapping

Aliases = Mapping[str, tuple[str, ...]]


def fold(name: str) -> str:
    """The form in which names are compared: case, `_`, `-` and blanks do not count."""
    return "".join(letter for letter in name.lower() if letter not in "_-" and not letter.isspace())


OPTIMIZER_ALIASES: Aliases = {
    "Adam": ("adam",),
    "Adamax": ("adamax",),
    "Adadelta": ("adadelta",),
    "Adagrad": ("adagrad",),
    "Nadam": ("nadam",),
    "RMSprop": ("rmsprop",),
    "SGD": ("sgd",),
    "Ftrl": ("ftrl",),
    "ProximalAdagrad": ("padagrad", "proximaladagrad"),
}

_LOSSES_AND_METRICS: Aliases = {
    "BinaryCrossentropy": (
        "binary_crossentropy",
        "binary_cross_entropy",
        "bin_cross_entropy",
        "bin_crossentropy",
        "bce",
    ),
    "CategoricalCrossentropy": (
        "categorical_crossentropy",
        "categorical_cross_entropy",
        "cate_cross_entropy",
        "cate_crossentropy",
        "cce",
    ),
    "CategoricalHinge": ("categorical_hinge", "catehinge", "cate_hinge", "chinge", "ch"),
    "CosineSimilarity": ("cosine_similarity", "cossim", "cos_sim", "cossimilarity", "cos_similarity", "cs"),
    "KLDivergence": ("kullback_leibler_divergence", "kld"),
    "MeanAbsoluteError": ("mean_absolute_error", "mean_abs_error", "mae"),
    "MeanAbsolutePercentageError": ("mean_absolute_percentage_error", "mean_abs_percent_error", "mape"),
    "MeanSquaredError": ("mean_squared_error", "mean_square_error", "mse"),
    "MeanSquaredLogarithmicError": (
        "mean_squared_logarithmic_error",
        "mean_squared_log_error",
        "mean_square_log_error",
        "msle",
    ),
    "SparseCategoricalCrossentropy": (
        "sparse_categorical_crossentropy",
        "sparse_cate_crossentropy",
        "sparse_categorical_cross_entropy",
        "sparse_cate_crosse_entropy",  # the original runner's spelling: existing job files may use it
        "scce",
    ),
}

LOSS_ALIASES: Aliases = {
    **_LOSSES_AND_METRICS,
    "Hinge": ("hinge",),
    "Huber": ("huber",),
    "BPR": ("bpr", "bpr_loss"),
    "PairHinge": ("pair_hinge", "pair_hinge_loss", "phinge"),
}

METRIC_ALIASES: Aliases = {
    **_LOSSES_AND_METRICS,
    "Accuracy": ("accuracy", "acc"),
    "AUC": ("auc",),
    "BinaryAccuracy": ("binary_accuracy", "binary_acc", "bin_acc", "bacc"),
    "CategoricalAccuracy": ("categorical_accuracy", "categorical_acc", "cate_accuracy", "cate_acc", "cacc"),
    "Precision": ("precision", "prec"),
    "PrecisionAtRecall": ("precision_at_recall", "prec_at_recall", "precision@recall", "prec@recall"),
    "Recall": ("recall",),
    "RecallAtPrecision": ("recall_at_precision", "recall_at_prec", "recall@precision", "recall@prec"),
    "RootMeanSquaredError": ("root_mean_squared_error", "root_mean_square_error", "rmse"),
    "SparseCategoricalAccuracy": (
        "sparse_categorical_accuracy",
        "sparse_categorical_acc",
        "sparse_cate_accuracy",
        "sparse_cate_acc",
        "scacc",
    ),
    "SparseTopKCategoricalAccuracy": (
        "sparse_top_k_categorical_accuracy",
        "sparse_top_k_categorical_acc",
        "sparse_top_k_cate_accuracy",
        "sparse_top_k_cate_acc",
        "sparse_top_k_cacc",
        "s_top_k_cacc",
    ),
    "TopKCategoricalAccuracy": (
        "top_k_categorical_accuracy",
        "top_k_categorical_acc",
        "top_k_cate_accuracy",
        "top_k_cate_acc",
        "top_k_cacc",
    ),
    "F1": ("f1", "f1s", "f1score", "f1_score"),
    "GAUC": ("gauc", "grouped_auc"),
    "PairOrderAccuracy": ("pair_order_accuracy", "pair_order_acc", "po_acc"),
    "NDCG": ("ndcg",),
    "MRR": ("mrr", "mean_reciprocal_rank"),
    "HitRate": ("hit_rate", "hr"),
    "LogLoss": ("log_loss",),
    "Calibration": ("calibration", "pcoc"),
    "ECE": ("ece", "expected_calibration_error"),
}
