"""The paper's algorithm (Section 4): DIVA, diverse clusterings by colouring a graph. One file per routine."""
