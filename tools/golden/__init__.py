"""Golden hashes: what the package computes, case by case, to show that a change of the sources changes no bit.

`python -m tools.golden check` computes every case again and compares it with `hashes.json`; `write` makes that file
anew. Only public names and the command line are used, so the tool outlives any change of the internal layout.
"""
