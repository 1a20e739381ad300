"""Probes: how long an echo takes. ICMP where the kernel lets us, else a TCP handshake."""

from eyewall_latency.probe.echo import Prober, Target, open_prober

__all__ = ["Prober", "Target", "open_prober"]
