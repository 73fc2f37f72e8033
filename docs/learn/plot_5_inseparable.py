"""
5. Not separable
================

XOR has no separating line, and the perceptron's rule runs on forever. How do you know that it is not just slow? By a
proof: a point that lies in the hulls of both classes. In the studio: *Not separable*.
"""

from rosenblatt import Perceptron, certify, figures

X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
proof = certify(X, y)
print(proof.explain())

# %%
# The line between the zeros and the line between the ones cross. Weights for the rows show it in four fractions,
# and anyone can check them: those of each class sum to 1, and the weighted averages of both classes are the same
# point.

print([str(weight) for weight in proof.weights])
figure = figures.plot_certificate(proof, X, y)

# %%
# So the run ends when its budget is spent, and says so. Which weights are kept then is a choice: the last ones, their
# average, a vote, or the best that were seen (the pocket).

for keep in ("last", "average", "vote", "pocket"):
    unit = Perceptron(keep=keep, max_iter=50, random_state=0).fit(X, y)
    print(f"{keep:8} {unit.status_:7} {unit.score(X, y):.0%} right")
