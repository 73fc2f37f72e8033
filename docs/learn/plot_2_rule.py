"""
2. The rule
===========

Rosenblatt's rule (1958) learns from mistakes only. Look at one example after the other; where y (w·x + b) ≤ 0, add
y·x to the weights and y to the bias. Nothing else ever happens. In the studio: *AND by hand*, *The rule*.
"""

from rosenblatt import figures, trace

X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1]
run = trace(X, y)
print(run)

# %%
# Every step of the run is recorded. The first epoch, with the weights as (bias, w1, w2):

for step in run.steps(epochs=(1, 1)):
    print(f"row {step.row}  score {step.score:+.0f}  {'mistake' if step.mistake else 'right  '}  {step.after}")

# %%
# Four of the updates. The vector that was added turns the line towards the example that was wrong.

figure = figures.plot_frames(run, updates=[5, 8, 12, 18])

# %%
# The line after each epoch; after the ninth no mistake is left, and the run ends as *separated*.

figure = figures.plot_boundaries(run)
