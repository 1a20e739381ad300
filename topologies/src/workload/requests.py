"""What one executor of a Python component asks for, as its Storm configuration."""


def python_component(cpu_percent: float) -> dict[str, float]:
    """Requests of an executor: a Python process lives outside the worker's heap, so off-heap."""
    return {
        "topology.component.cpu.pcore.percent": cpu_percent,
        "topology.component.resources.onheap.memory.mb": 64.0,
        "topology.component.resources.offheap.memory.mb": 40.0,
    }
