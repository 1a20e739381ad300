"""The demo: Storm's schedulers and Eyewall on one cluster, measured in one run."""
