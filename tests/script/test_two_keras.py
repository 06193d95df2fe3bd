import pytest

from runyard.script.two_keras import remark_on_two_keras

from .conftest import Write

LAYERS_OF_KERAS_3 = [
    "import keras\nlayer = keras.layers.Dense(1)\n",
    "import keras as k\nlayer = k.layers.Dense(1)\n",
    "from keras import layers\n",
    "from keras.layers import Dense\n",
    "def f():\n    import keras\n    return keras.Sequential()\n",
]
TF_KERAS = [
    "import tensorflow as tf\nmodel = tf.keras.Model()\n",
    "from tensorflow.keras.layers import Input\n",
    "from tensorflow import keras as other\nother.Input()\n",
    "import tf_keras\ntf_keras.models.Model()\n",
]


@pytest.mark.parametrize("one", LAYERS_OF_KERAS_3)
@pytest.mark.parametrize("other", TF_KERAS)
def test_models_of_two_keras_are_remarked_on(write: Write, one: str, other: str):
    remark = remark_on_two_keras(write("train.py", other + one), chosen=2)
    assert remark is not None
    assert "from keras (Keras 3, line" in remark
    assert "(Keras 2, line" in remark


def test_the_remark_names_the_lines(write: Write):
    script = write("train.py", TF_KERAS[0] + LAYERS_OF_KERAS_3[0])
    assert remark_on_two_keras(script, chosen=2) == (
        "train.py makes models from tf.keras (Keras 2, line 2) and from keras (Keras 3, line 4), "
        "whose layers do not work together: take all from tf.keras; "
        'which Keras that is, the key "keras" of the job file says'
    )


@pytest.mark.parametrize("one", LAYERS_OF_KERAS_3)
def test_tf_keras_may_be_keras_3_itself(write: Write, one: str):
    assert remark_on_two_keras(write("train.py", TF_KERAS[0] + one), chosen=3) is None
    assert remark_on_two_keras(write("train.py", TF_KERAS[3] + one), chosen=3) is not None


@pytest.mark.parametrize(
    "source",
    [
        *LAYERS_OF_KERAS_3,
        *TF_KERAS,
        TF_KERAS[0] + "import keras\nkeras.utils.set_random_seed(1)\n",
        "from tensorflow import keras\nkeras.layers.Dense(1)\nkeras.Model()\n",
        "import keras.layers\nself.keras.layers\nf().keras\n",
        "from .keras import layers\n" + TF_KERAS[0],
        "def broken(:\n",
    ],
)
def test_other_scripts_are_left_alone(write: Write, source: str):
    assert remark_on_two_keras(write("train.py", source), chosen=2) is None
