"""`python -m npudoctor`."""

from npudoctor.cli import main

main()
