"""`python -m diva`, the same as `diva`."""

from diva.cli import main

main()
