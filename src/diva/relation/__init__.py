"""A table wherever it lives: its columns and their roles, its types and counts, and the only SQL of the project."""
