"""A fit of a file: its plan, its result, and how a saved model continues learning."""
