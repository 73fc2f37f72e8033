"""
9. The widest margin
====================

Many lines separate; one of them is farthest from both classes. It depends on a few rows only, the support, and nobody
can find a wider one: that is proven too. In the studio: *Logistic unit and margin*.
"""

from sklearn.datasets import make_blobs

from rosenblatt import MaxMargin, Perceptron, certify, figures

X, y = make_blobs(60, centers=[[0, 0], [4, 3]], cluster_std=0.9, random_state=2)
answer = certify(X, y)
print(answer)
print("margin", answer.margin, "carried by rows", answer.support.tolist())
figure = figures.plot_certificate(answer, X, y)

# %%
# The perceptron's line separates as well, with less room.

figure = figures.plot_regions(Perceptron(keep="last", random_state=0).fit(X, y), X, y)

# %%
# ``MaxMargin`` is the same separator as an estimator.

widest = MaxMargin().fit(X, y)
print(widest.coef_, widest.intercept_)
figure = figures.plot_regions(widest, X, y)
