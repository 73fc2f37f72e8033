"""How values of options are written: durations, sizes, ranges, lists of levels, criteria."""
