"""The folder with Storm's jars: the user's distribution, or one made from Maven Central."""

from eyewall_deploy.storm_home.assembly import STORM_VERSION, assembled
from eyewall_deploy.storm_home.layout import StormHome, open_storm_home

__all__ = ["STORM_VERSION", "StormHome", "assembled", "open_storm_home"]
