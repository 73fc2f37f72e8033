"""The data sets of the panel: real and generated, raw, and the files of their splits."""
