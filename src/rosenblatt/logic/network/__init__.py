"""Networks of threshold units: their wiring, and the ways to build one."""
