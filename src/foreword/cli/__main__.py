"""`python -I -m foreword.cli`: what clients start, since a console script may not be on their PATH."""

from foreword.cli import main

if __name__ == "__main__":
    main()
