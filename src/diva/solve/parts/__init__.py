"""More types than one search should take: cut into parts that are solved by themselves, and joined again."""
