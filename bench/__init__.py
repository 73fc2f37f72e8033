"""Every speed and memory claim, measured against its peers in one run, as a ratio.

``python -m bench`` runs the whole table, ``python -m bench sparse light`` the named workloads,
``python -m bench --list`` lists them. ``python -m bench accuracy --data DIR`` is the table of test accuracies,
``python -m bench panel --data DIR`` compares `rosenblatt fit` without options with tuned peers.
"""
