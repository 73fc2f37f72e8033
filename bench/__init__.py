"""Every claim of speed and memory, against its peers, in one run, as a ratio.

``python -m bench`` runs the whole table, ``python -m bench sparse light`` the named rows, ``python -m bench --list``
names them. ``python -m bench accuracy --data DIR`` is the table of test accuracies.
"""
