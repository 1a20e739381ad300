"""Cumulative distributions side by side: a panel for each quantity, a line for each method."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from eyewall_sidecar.model.arrays import Floats


def draw(panels: Mapping[str, Mapping[str, Floats]], file: Path) -> None:
    """Draw quantity → method → values."""
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "eyewall", "font.size": 8.0}):
        figure, axes = plt.subplots(
            1, len(panels), squeeze=False, figsize=(3.2 * len(panels), 2.6), layout="constrained"
        )
        for panel, (quantity, methods) in zip(axes[0], panels.items(), strict=True):
            for method, values in methods.items():
                shares = np.arange(1, len(values) + 1) / len(values)
                panel.step(np.sort(values), shares, where="post", lw=1.2, label=method)
            panel.set_xlabel(quantity)
            panel.set_ylim(0, 1)
            panel.grid(alpha=0.3)
        axes[0][0].set_ylabel("share of trees")
        axes[0][0].legend(frameon=False)
        figure.savefig(file, metadata={"Date": None})
