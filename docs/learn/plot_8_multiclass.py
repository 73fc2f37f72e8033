"""
8. More than two classes
========================

A unit for each class and the highest score wins, or a unit for each pair and a vote. In the studio: *More than two
classes*.
"""

from sklearn.datasets import make_blobs

from rosenblatt import Perceptron, certify_classes, figures

X, y = make_blobs(150, centers=[[0, 4], [4, 4], [2, 0], [6, 0]], cluster_std=0.8, random_state=1)
model = Perceptron(random_state=0).fit(X, y)
print(f"{model.score(X, y):.1%} right with {len(model.classes_)} units")
figure = figures.plot_regions(model, X, y)

# %%
# Are all pairs of classes separable, and how widely? Each answer is proven.

for answer in certify_classes(X, y).answers:
    print(f"{answer.first} and {answer.second}: margin {answer.certificate.margin:.3f}, {answer.certificate.verified}")

# %%
pairs = Perceptron(multi_class="ovo", random_state=0).fit(X, y)
print(f"{pairs.score(X, y):.1%} right with {len(pairs.coef_)} units")
figure = figures.plot_regions(pairs, X, y)
