"""The largest clusters: executors of one component as a number on each node, never one by one."""
