"""What the JSON API answers: the pages are drawn from these and from nothing else.

Units are seconds, bytes, cores and tuples/s. None is unknown, never zero. Names of hosts and of
executors (`tag[3-4]`) are those that people read everywhere else; a topology is named by Storm's
id, and found by its name too.

A module for each page and for what several show. `cluster_view.py` in the folder above makes what
`cluster.py` says, and so on; api.d.ts, generated, says the same to the pages.
"""
