"""Training a judge: fine-tuning on true answers, then on answers preferred to ones with the wrong severity."""
