"""Files of pairs with what is known of their errors, for training and fitting."""
