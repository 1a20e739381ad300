"""Looks over a user's own Storm cluster before the scheduler is switched on."""
