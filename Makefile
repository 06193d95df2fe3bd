# make setup   build .venv in this clone          make test    everything that CI runs
# make demo    run the first example              make quick   the inner loop, under three minutes
# make fuzz    100,000 mutated job files          make lock    pin the newest versions that fit together
# make soak    50 kills at random moments         make chaos   50 kills of any process of two workers
# make bench   speed against Keras and others   make names   regenerate the lists of Keras and TensorFlow names
# make fashion-mnist   real images for the tests, from Debian
# make two-hosts   what the test of two hosts needs to make their networks, from Debian

PYTHON ?= python3.11
BIN := .venv/bin
PIP := $(BIN)/pip --disable-pip-version-check

export TF_CPP_MIN_LOG_LEVEL ?= 3

.PHONY: setup demo test quick lint fuzz soak chaos bench names lock clean fashion-mnist two-hosts

setup: .venv/.ready

.venv/.ready: pyproject.toml requirements.lock
	$(PYTHON) -m venv .venv
	$(PIP) install --quiet --constraint requirements.lock --editable '.[dev,onnx,parquet]'
	touch $@

demo: setup
	$(BIN)/python examples/mlp_csv/make_data.py
	$(BIN)/runyard check examples/mlp_csv/job.json
	$(BIN)/runyard pipeline examples/mlp_csv/job.json --fresh
	$(BIN)/runyard export examples/mlp_csv/job.json --versioned examples/mlp_csv/serving

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

test: lint
	$(BIN)/pytest -n 2 --dist worksteal

fashion-mnist:
	dpkg -s dataset-fashion-mnist >/dev/null 2>&1 || apt-get install -qq -y dataset-fashion-mnist >/dev/null 2>&1 \
	|| (apt-get update -qq && apt-get install -qq -y dataset-fashion-mnist) >/dev/null 2>&1

two-hosts:
	command -v ip >/dev/null || apt-get install -qq -y iproute2 >/dev/null 2>&1 \
	|| (apt-get update -qq && apt-get install -qq -y iproute2) >/dev/null 2>&1

quick: lint
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow" --ignore tests/training --ignore tests/models

fuzz: setup
	RUNYARD_FUZZ_EXAMPLES=100000 $(BIN)/pytest tests/config/test_fuzz.py

soak: setup
	RUNYARD_KILLS=50 $(BIN)/pytest tests/runner/test_resume.py -k random_moments --timeout 3600

chaos: setup
	RUNYARD_KILLS=50 $(BIN)/pytest tests/runner/test_chaos.py --timeout 7200

bench: setup
	$(BIN)/python -m bench

names: setup
	$(BIN)/python -m runyard.bridge.names
	$(BIN)/python -m runyard.legacy.collect_names

lock: setup
	$(BIN)/python tools/lock.py

clean:
	rm -rf .venv build dist
