from benchmarks.paper import hadare_clusters


def test_a_small_reproduction_writes_its_page_and_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(hadare_clusters, "MIXES", (1, 8))
    monkeypatch.setattr(hadare_clusters, "HOURS", (0.2, 0.4))
    short = ("hadare", hadare_clusters.ESTIMATED, "hadare:makespan", "hadar", hadare_clusters.GAVEL)
    monkeypatch.setattr(hadare_clusters, "SCHEDULERS", (*short, "yarn"))
    claims = hadare_clusters.run(False, tmp_path)
    assert len(claims) == 6
    text = (tmp_path / "hadare_clusters.md").read_text()
    assert "| AWS-like | 8 | hadare:makespan |" in text
    assert "JCT of hadare, speeds estimated, against known speeds" in text
    assert "Published" in text
    assert (tmp_path / "hadare_clusters.png").stat().st_size > 10_000


def test_scaled_speeds_keep_the_order_of_the_gpus():
    for model in hadare_clusters.MODELS:
        speeds = [
            hadare_clusters.speed(model, gpu) for gpu in ("RTX 3090", "Titan RTX", "T4", "T400")
        ]
        assert speeds == sorted(speeds, reverse=True)
        assert speeds[-1] > 0
