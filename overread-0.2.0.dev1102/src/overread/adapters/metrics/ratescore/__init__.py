"""The metric ratescore (RaTEScore), assembled from the chosen recognizer and encoder, and the fit of its table."""
