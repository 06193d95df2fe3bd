"""RankNet: a ranker learns from pairs of items which one a user likes better. Only the inner ranker is saved."""

import tensorflow as tf


class RankNetModel(tf.keras.Model):
    def __init__(self, name, input_size):
        super().__init__(name=name)

        self.ranker = self.create_ranker(name + "_rank_model", input_size)

    @staticmethod
    def create_ranker(name, input_size):
        def dense(size, name, activation=None):
            regularizer = tf.keras.regularizers.l2(0.01)
            return tf.keras.layers.Dense(size, kernel_regularizer=regularizer, activation=activation, name=name)

        inputs = tf.keras.Input(shape=(input_size,), name="digits")
        x1 = dense(64, "dense_1", "relu")(inputs)
        x2 = dense(32, "dense_2", "relu")(x1)
        x3 = dense(16, "dense_3", "relu")(x2)
        x4 = dense(16, "residual_dense_4")(tf.concat([x1, x2, x3], axis=1))

        z1 = tf.keras.layers.Dropout(0.5, name="dropout_r")(inputs)
        z2 = dense(64, "dense_r1", "relu")(z1)
        z3 = dense(32, "dense_r2", "relu")(z2)
        z4 = dense(16, "dense_r3", "relu")(z3)
        z5 = dense(16, "residual_dense_r4")(tf.concat([z1, z2, z3, z4], axis=1))

        w = tf.keras.layers.Dropout(0.5, name="dropout")(tf.concat([x4, z5], axis=1))
        outputs = dense(1, "predictions")(w)
        return tf.keras.Model(inputs=inputs, outputs=outputs, name=name)

    @tf.function
    def call(self, inputs, training=None, mask=None):
        x_1 = inputs[2]
        x_2 = inputs[3]
        rank_1 = self.ranker(x_1, training=training)
        rank_2 = self.ranker(x_2, training=training)
        return tf.nn.sigmoid(rank_1 - rank_2)


def awf_create_model_fn(name, input_size):
    return RankNetModel(name, input_size)


def __create_paired_dataset(file, feat_num, filt_num, batch_size):
    def __parse_paired_data(line):
        one_item = [["0"], ["0"], [0.0]] + [[0.0]] * feat_num
        parsed_line = tf.io.decode_csv(line, one_item + one_item + [[0.0]], field_delim=" ")
        preidx_p1 = tf.stack(parsed_line[:2], axis=1)
        feas_p1 = tf.stack(parsed_line[3 : 3 + feat_num - filt_num], axis=1)
        preidx_p2 = tf.stack(parsed_line[3 + feat_num : 3 + feat_num + 2], axis=1)
        feas_p2 = tf.stack(parsed_line[3 + feat_num + 3 : 3 + feat_num + 3 + feat_num - filt_num], axis=1)
        label = tf.expand_dims(parsed_line[-1], axis=1)
        weis = tf.expand_dims((parsed_line[2] - parsed_line[3 + feat_num + 2]) * parsed_line[-1], axis=1)
        return (preidx_p1, preidx_p2, feas_p1, feas_p2), (label + 1) / 2, weis

    return tf.data.TextLineDataset(file.strip()).skip(1).batch(batch_size, True).map(__parse_paired_data)


def __create_single_dataset(file, feat_num, filt_num, batch_size, like_listen=False):
    default_vals = [["0"], ["0"], [0]] + [[0.0]] * feat_num

    def __parse_single_data(line):
        parsed_line = tf.io.decode_csv(line, default_vals, field_delim=" ")
        preidx = tf.expand_dims(parsed_line[0], axis=1)
        label = tf.expand_dims(parsed_line[2], axis=1)
        feas = tf.stack(parsed_line[3 : 3 + feat_num - filt_num], axis=1)

        if not like_listen:  # -1 and 0 become 0, 1 and 2 become 1
            label2_mask = tf.cast(label == 2, tf.int32)
            label = label - label2_mask
            label_1_mask = tf.cast(label == -1, tf.int32)
            label = label + label_1_mask
        else:  # 1 becomes 0, 2 becomes 1
            label_mask = tf.cast(label > 0, tf.int32)
            label = label - label_mask

        return (preidx, feas), label

    def __filter_neg_label(line):
        parsed_line = tf.io.decode_csv(line, default_vals, field_delim=" ")
        label = int(parsed_line[2])
        return label > 0

    lines = tf.data.TextLineDataset(file.strip()).skip(1)
    if not like_listen:
        return lines.batch(batch_size, True).map(__parse_single_data)
    return lines.filter(__filter_neg_label).batch(batch_size).map(__parse_single_data)


def awf_create_train_dataset_fn(file, feat_num, filt_num, batch_size):
    return __create_paired_dataset(file, feat_num, filt_num, batch_size)


def awf_create_test_dataset_fn(file, feat_num, filt_num, batch_size):
    return __create_paired_dataset(file, feat_num, filt_num, batch_size)


def awf_create_val_dataset_fn(file, feat_num, filt_num, batch_size):
    """Single items for the ranker: heard or not, and among those that were heard, liked or not."""
    return (
        __create_single_dataset(file, feat_num, filt_num, batch_size, False),
        __create_single_dataset(file, feat_num, filt_num, batch_size, True),
    )


def awf_model_to_save_fn(trained_model):
    return trained_model.ranker


def awf_load_model_fn(path, name):
    """The test set holds pairs, so evaluation needs the outer model around the saved ranker."""
    ranker = tf.keras.models.load_model(path)
    model = RankNetModel(name, ranker.input_shape[-1])
    model.ranker.set_weights(ranker.get_weights())
    return model
