#!/usr/bin/env bash
# Builds twice and compares the bytes, checks what was built, installs it outside the tree and scores a pair with it.
# Usage: release_check.sh TOOLS DIST, with the Pythons in PYTHONS.
set -euo pipefail
tools=$(realpath "$1") dist=$(realpath "$2") sources=$PWD
limit=400
unset PYTHONPATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
"$tools/python" -m build --outdir "$work/again" . > /dev/null
"$tools/python" benchmarks/steady_archive.py "$work/again"/*.tar.gz
for made in "$work/again"/*; do cmp "$made" "$dist/$(basename "$made")"; done
echo "two builds are equal, byte by byte"

"$tools/twine" check --strict "$dist"/*
"$tools/check-wheel-contents" --ignore W002,W009,W010 "$dist"/*.whl
"$tools/pyroma" --min 7 . > /dev/null && echo "pyroma is content"

wheel=$(echo "$dist"/*.whl)
run() { # environment, then a name for the line
  cd "$work"
  "$1/bin/overread" --version > /dev/null
  "$1/bin/overread" score --reference-text "Small left effusion. No pneumothorax." \
    --candidate-text "No effusion. Small pneumothorax." > /dev/null
  "$1/bin/overread" score -m crepe --reference-text "Small effusion." --candidate-text "No effusion." > /dev/null
  echo "$2: $(du -sm "$1" | cut -f1) MB, scores a pair"
}
first=yes
for python in ${PYTHONS:-python3.11 python3.12 python3.13}; do
  command -v "$python" > /dev/null && "$python" --version > /dev/null 2>&1 || { echo "$python is not here: skipped"; continue; }
  name=$(basename "$python")
  "$python" -m venv "$work/$name"
  "$work/$name/bin/pip" install --quiet --only-binary=:all: "$wheel"
  run "$work/$name" "base, $name, highest"
  [ "$(du -sm "$work/$name" | cut -f1)" -le $limit ] || { echo "the base takes more than $limit MB" >&2; exit 1; }
  "$tools/uv" venv --quiet --python "$python" "$work/$name-lowest"
  lowest="$work/$name-lowest.txt"
  (cd "$sources" && "$tools/uv" pip compile --quiet --resolution lowest-direct --only-binary :all: --no-header \
    --python "$work/$name-lowest/bin/python" -o "$lowest" pyproject.toml)
  "$tools/uv" pip install --quiet --python "$work/$name-lowest/bin/python" -r "$lowest" "$wheel"
  run "$work/$name-lowest" "base, $name, lowest"
  if [ $first = yes ]; then
    "$tools/uv" venv --quiet --python "$python" "$work/$name-all"
    "$tools/uv" pip install --quiet --python "$work/$name-all/bin/python" "$wheel[all]"
    run "$work/$name-all" "all, $name"
    first=no
  fi
done
