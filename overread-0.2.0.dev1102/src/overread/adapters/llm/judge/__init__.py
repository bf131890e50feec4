"""The ReEvalMed judge: language models that name discrepancies by span, aspect, type and severity."""
