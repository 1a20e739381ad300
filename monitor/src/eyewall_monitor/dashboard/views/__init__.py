"""The values of the JSON API, and how they are made from a snapshot: a module for each page.

The pages are drawn from these and from nothing else; their TypeScript types (api.d.ts) are
generated from them. Units are seconds, bytes, cores and tuples/s. None is unknown, never zero. A
topology is identified by Storm's id, and found by its name too.
"""
