"""Options of language models in GGUF files."""

from __future__ import annotations

from attrs import field, frozen
from attrs.validators import ge, gt, le

__all__ = ["LlamaCppOptions"]


@frozen(kw_only=True)
class LlamaCppOptions:
    """Options of a model in a GGUF file.

    Attributes:
        path: of the file; of the first one where a model is split into several.
        template: file with a chat template in Jinja, instead of the one that the model's file holds.
        max_context: tokens of request and answer together, at most; never more than the model was made for. Memory is
            set aside for so many.
        threads: that compute one answer; llama.cpp takes 512 at most. Sums come out in another order with another
            number, so it may change answers.
        prompt_cache: whether what requests of one prompt begin with is computed once; it may change answers too.
        timeout_s: seconds for a whole answer.
    """

    path: str = field(metadata={"argument": True})
    template: str | None = None
    max_context: int = field(default=8192, validator=ge(16))
    threads: int = field(default=1, validator=[ge(1), le(512)])
    prompt_cache: bool = True
    timeout_s: float = field(default=600.0, validator=gt(0))
