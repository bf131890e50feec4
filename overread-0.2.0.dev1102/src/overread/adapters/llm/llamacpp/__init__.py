"""Language models in GGUF files, run by llama.cpp on this machine without a server."""
