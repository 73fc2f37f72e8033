"""Learning on a cluster: the same fit with Dask, Spark, Ray or several processes, bit for bit."""

from rosenblatt.cluster.fit import fit as fit
from rosenblatt.cluster.predict import evaluate as evaluate
from rosenblatt.cluster.predict import predict as predict
from rosenblatt.cluster.saved_model import predict_rows as predict_rows
from rosenblatt.cluster.saved_model import spark_udf as spark_udf
