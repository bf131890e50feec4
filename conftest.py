"""What pytest collects in the project, examples of modules among it."""

from __future__ import annotations

from importlib.util import find_spec

# Modules named after the library they need, of those that the checks do not install.
collect_ignore = [
    f"src/overread/integrations/{library}.py"
    for library in ("inspect_ai", "mlflow", "wandb")
    if find_spec(library) is None
]
