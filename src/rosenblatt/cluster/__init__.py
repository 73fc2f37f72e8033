"""Beyond one machine: the same fit on Dask, Spark, Ray or several processes, to the same bits."""

from rosenblatt.cluster.fit import fit as fit
