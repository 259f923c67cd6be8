"""`python -m graphmem.entrypoints.cli`: the command line without its script."""

from graphmem.entrypoints.cli import main

if __name__ == "__main__":
    main()
