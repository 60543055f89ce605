"""Who goes in which group: deciding what is feasible, searching for few stars, the paper's algorithm."""
