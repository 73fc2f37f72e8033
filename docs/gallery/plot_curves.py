"""
Losses and activations
======================

The curves of the lectures, on light and on dark paper.
"""

from rosenblatt import figures

figure = figures.plot_losses()

# %%
figure = figures.plot_losses(theme="dark", reach=4)

# %%
figure = figures.plot_activations()

# %%
figure = figures.plot_activations(theme="dark")
