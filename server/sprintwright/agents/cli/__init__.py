"""One-shot command lines as agents: the prompt on standard input, the answer on standard output."""
