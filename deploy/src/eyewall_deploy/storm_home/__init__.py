"""The folder with Storm's jars: a distribution of the user's, or one put together from Maven Central."""

from eyewall_deploy.storm_home.assembly import STORM_VERSION, assembled
from eyewall_deploy.storm_home.layout import StormHome, open_storm_home

__all__ = ["STORM_VERSION", "StormHome", "assembled", "open_storm_home"]
