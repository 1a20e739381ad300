"""The pictures of paper 003's figures."""

from pathlib import Path

from eyewall_papers.experiments.paper_000.pictures import Panel
from eyewall_papers.experiments.paper_003.pictures import draw_page


def test_a_page_names_each_method_once_and_is_the_same_when_drawn_again(tmp_path: Path) -> None:
    panels = [
        Panel("N", "1,000 $", {"ours": ([1, 2], [3, 4]), "random": ([1, 2], [30, 40])}),
        Panel("α", "1,000 $", {"random": ([1], [5])}, scales=("linear", "log")),
    ]
    files = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for file in files:
        draw_page(panels, 2, file)
    one, two = (file.read_text(encoding="utf-8") for file in files)
    assert one == two
    assert one.count(">random<") == 1
