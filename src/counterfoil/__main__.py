"""`python -m counterfoil` is the same command as `counterfoil`."""

from .cli import main

if __name__ == "__main__":
    main()
