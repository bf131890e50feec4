"""Reports as text: sections, spans, pairs, and the patient behind them."""
