import pytest

from hadaropt.forking.training.events import CopyRecord, CurvePoint

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")

CURVE = [CurvePoint(job, k, 10 * k, float(k), 0.1 * k, 2) for job in "ab" for k in range(3)]
COPIES = [
    CopyRecord(job, k, node, steps, 1.0, 0.5)
    for job in "ab"
    for k in range(2)
    for node, steps in (("n0", 7), ("n1", 3))
]


def test_a_column_per_job_with_scores_and_shares():
    from hadaropt.plot.style import figure_of
    from hadaropt.plot.training import plot_training

    scores_a, scores_b, shares_a, _ = plot_training(CURVE, COPIES, {"a": "accuracy", "b": "R2"})
    figure = figure_of(scores_a)
    assert [axes.get_title() for axes in (scores_a, scores_b)] == ["a", "b"]
    assert scores_b.get_ylabel() == "R2"
    assert scores_a.lines[0].get_xydata().tolist() == [[0, 0], [10, 0.1], [20, 0.2]]
    bars = [(bar.get_y(), bar.get_height()) for bar in shares_a.patches]
    assert bars == [(0, 7), (0, 7), (7, 3), (7, 3)]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["n0", "n1"]


def test_nothing_trained_yet_can_be_drawn(tmp_path):
    from hadaropt.plot.style import figure_of
    from hadaropt.plot.training import plot_training

    figure = figure_of(plot_training(CURVE[:1], [], {"a": "accuracy"})[0])
    figure.savefig(tmp_path / "empty.png")
    assert not figure.legends
