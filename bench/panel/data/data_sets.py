"""Every data set of the panel. Choices are made looking at `tune` only; `confirm` shows whether they hold.

Each kind of data is in both halves; sets that share rows (cells and segmentationData, w8a and w1a) in the same one.
CreditCard, dhfr, wine and w8a were sets to confirm until a choice was made looking at them: the order of the rules and
how many passes nearly separable classes may take. So were Car and breast_cancer until the causes of their results were
looked for: what a temperature clips, and how far it may be from 1.
"""

from __future__ import annotations

from bench.accuracy.read_sets import covertype, images, svmguide, svmlight, vowpal_text
from bench.panel.data import generate as g
from bench.panel.data.generate import generated
from bench.panel.data.raw import DataSet
from bench.panel.data.read_raw import banknote, bundled, census, matrix, packaged, pixels, table, text, with_river

TABLES = {
    "tune": (
        *("Satellite", "Vowel", "HouseVotes84", "SmokeBan", "credit_data", "cells", "Chile", "penguins"),
        *("CreditCard", "dhfr"),
    ),
    "confirm": ("Glass", "mlc_churn", "hpc_data", "pd_speech", "Cowles"),
}
SMALL = {"tune": ("PimaIndiansDiabetes", "spam"), "confirm": ("Ionosphere", "Sonar", "musk")}
BUNDLED = ("digits", "iris", "wine", "breast_cancer")
MUSHROOMS = ("agaricus/agaricus.txt.train.gz", "agaricus/agaricus.txt.test.gz")
NEWS = ("20newsgroups/20ng-train.tsv.gz", "20newsgroups/20ng-test.tsv.gz")

REAL: tuple[DataSet, ...] = (
    *(DataSet(name, mark, table(f"tables/{name}.csv.gz")) for mark, names in TABLES.items() for name in names),
    DataSet("segmentationData", "tune", table("tables/segmentationData.csv.gz", ids=("Cell",))),
    DataSet("tate_text", "tune", table("tables/tate_text.csv.gz", min_class=20, ids=("id",), texts=("title",))),
    *(DataSet(name, mark, table(f"small/{name}.csv.gz")) for mark, names in SMALL.items() for name in names),
    DataSet("BreastCancer", "tune", table("small/BreastCancer.csv.gz", ids=("Id",))),
    DataSet("banknote", "confirm", banknote),
    *(DataSet(name, "tune", bundled(name)) for name in BUNDLED),
    DataSet("covtype", "tune", matrix(covertype, "table"), n_splits=1, max_rows=60_000),
    DataSet("census-kdd", "confirm", census, max_rows=100_000),
    DataSet("mnist", "tune", matrix(pixels(images("mnist")), "table"), max_rows=5_000),
    DataSet("fashion-mnist", "confirm", matrix(pixels(images("fashion-mnist")), "table"), max_rows=5_000),
    DataSet("svmguide3", "tune", matrix(svmguide, "table")),
    DataSet("heart_scale", "confirm", matrix(svmlight("heart_scale/heart_scale"), "svmlight")),
    DataSet("a9a", "tune", matrix(svmlight("a9a/a9a.gz", "a9a/a9a.t.gz"), "svmlight")),
    DataSet("w8a", "tune", matrix(svmlight("w8a/w8a.gz"), "svmlight"), n_splits=1),
    DataSet("w1a", "tune", matrix(svmlight("libol/w1a"), "svmlight")),
    DataSet(
        "agaricus",
        "tune",
        matrix(svmlight(*MUSHROOMS), "svmlight"),
    ),
    DataSet("sofia", "confirm", matrix(svmlight("sofia/demo.train.gz", "sofia/demo.test.gz"), "svmlight")),
    DataSet("rcv1_small", "tune", matrix(vowpal_text("vw/rcv1_small.dat.gz"), "vw")),
    DataSet("20newsgroups", "tune", text(*NEWS, header=True)),
    DataSet("mail", "confirm", text("mail/train.tsv.gz", "mail/test.tsv.gz")),
)

# Chosen before any of their results was seen; those to confirm were never looked at while a choice was made.
PACKAGED: tuple[DataSet, ...] = (
    DataSet("flchain", "confirm", packaged("survival/flchain", "death", drop=("futime", "chapter"))),
    DataSet("nwtco", "confirm", packaged("survival/nwtco", "rel", drop=("edrel",), ids=("seqno",))),
    DataSet("Car", "tune", packaged("Ecdat/Car", "choice")),
    DataSet("OFP", "confirm", packaged("Ecdat/OFP", "privins")),
    DataSet("Males", "confirm", packaged("plm/Males", "union", ids=("nr",))),
    DataSet("Hdma", "confirm", packaged("Ecdat/Hdma", "deny")),
    DataSet("Catsup", "confirm", packaged("Ecdat/Catsup", "choice", ids=("id",))),
    DataSet("Fishing", "confirm", packaged("Ecdat/Fishing", "mode", drop=("price", "catch"))),
    DataSet("Heating", "confirm", packaged("Ecdat/Heating", "depvar", ids=("idcase",))),
    DataSet("turnout", "confirm", packaged("Zelig/turnout", "vote")),
    DataSet("Kakadu", "confirm", packaged("Ecdat/Kakadu", "answer", drop=("lower", "upper"))),
    DataSet("segments", "confirm", with_river("segment.csv.zip", "category")),
)

# Added in the end, when nothing was left to choose.
LATE: tuple[DataSet, ...] = (
    DataSet("phishing", "confirm", with_river("phishing.csv.gz", "is_phishing")),
    DataSet("diamonds", "confirm", packaged("ggplot2/diamonds", "cut"), max_rows=10_000),
    DataSet("VerbAgg", "confirm", packaged("lme4/VerbAgg", "r2", drop=("resp",), codes=("id",))),
    DataSet("VietNamH", "confirm", packaged("Ecdat/VietNamH", "urban", drop=("commune",))),
    DataSet("Benefits", "confirm", packaged("Ecdat/Benefits", "ui", codes=("state",))),
    DataSet("HI", "confirm", packaged("Ecdat/HI", "whi"), max_rows=10_000),
    DataSet("CPS1988", "confirm", table("tables_numeric/CPS1988.csv.gz", "parttime"), max_rows=10_000),
    DataSet("movies", "confirm", packaged("ggplot2/movies", "mpaa", texts=("title",))),
)

GENERATED: tuple[DataSet, ...] = (
    DataSet("churn", "tune", generated(g.churn, 1)),
    DataSet("orders", "confirm", generated(g.orders, 2)),
    DataSet("rare-numbers", "tune", generated(g.rare, 3)),
    DataSet("rare-words", "confirm", generated(g.rare, 4, n_numbers=6, words=True)),
    DataSet("label-noise", "tune", generated(g.noisy, 5)),
    DataSet("label-noise-wide", "confirm", generated(g.noisy, 6, n=1500, n_columns=60, flipped=0.15)),
    DataSet("wide-sparse", "tune", generated(g.wide, 7)),
    DataSet("wide-counts", "confirm", generated(g.wide, 8, n_features=50_000, per_row=100, counts=True)),
    DataSet("sorted-by-label", "tune", generated(g.in_order, 9)),
    DataSet("sorted-by-number", "confirm", generated(g.in_order, 10, n_classes=5, by_label=False)),
    DataSet("100-classes", "tune", generated(g.many, 11)),
    DataSet("26-classes", "confirm", generated(g.many, 12, n=4000, n_classes=26, n_columns=12)),
    DataSet("comments", "tune", generated(g.comments, 13)),
    DataSet("tickets", "confirm", generated(g.comments, 14, n=3000, share=0.35, n_words=1500)),
)

DATA_SETS = REAL + PACKAGED + LATE + GENERATED


def chosen(names: list[str]) -> list[DataSet]:
    """The sets of a mark (`tune`, `confirm`) or of these names; all of them without a name."""
    unknown = set(names) - {"tune", "confirm"} - {data.name for data in DATA_SETS}
    if unknown:
        raise SystemExit(f"no set is called {min(unknown)!r}; there are {', '.join(data.name for data in DATA_SETS)}")
    return [data for data in DATA_SETS if not names or data.mark in names or data.name in names]
