"""Training of the entity recogniser behind ratescore: token and span heads over any BERT-like encoder."""
