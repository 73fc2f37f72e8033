"""The contract under other processors, compilers and Pythons than those of this machine."""
