"""``hadaropt audit``."""

from fractions import Fraction

import pytest

ROWS = """who,part,q,s,e,n,t,how
ann,secret-a,0,0,7200,4,V100,COMPLETED
bob,secret-b,600,7200,7800,2,V100,COMPLETED
cid,secret-a,900,7200,36000,2,V100,COMPLETED
ann,secret-a,1200,36000,37000,4,V100,FAILED
bob,secret-b,1300,1300,9000,1,K80,COMPLETED
"""
COLUMNS = "submit=q,start=s,end=e,gpus=n,type=t,user=who,queue=part,status=how"
CLUSTER = "V100=1x4,K80=1x2"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text(ROWS)
    return path


def test_answer_is_certified_and_says_who_counts(run, log):
    answer = run("audit", log, "--columns", COLUMNS, "--cluster", CLUSTER, "--json")
    assert answer.code == 0, answer.err
    found = answer.document
    assert (found["jobs"], found["jobs_not_counted"], found["fits"]) == (4, 1, True)
    assert found["cluster_from"] == "given"
    assert found["recorded"]["mean_waiting_s"] == (6600 + 6300) / 4
    least = found["bounds"]["mean_waiting_s"]
    assert Fraction(least) <= min(own["mean_waiting_s"] for own in found["schedulers"].values())
    assert "whatever it knew" in found["sentence"]
    assert any("left out of all sums" in line for line in found["assumptions"])


def test_jobs_without_a_type_may_be_left_out(run, log):
    log.write_text(ROWS + "eve,part,1400,1400,1500,1,,COMPLETED\n")
    given = ("audit", log, "--columns", COLUMNS, "--cluster", CLUSTER, "--json")
    pooled, dropped = run(*given), run(*given, "--untyped", "drop")
    assert (pooled.document["untyped"], pooled.document["cluster"]) == (1, {"GPU": 6})
    assert any("`--untyped drop`" in line for line in pooled.document["further"])
    assert (dropped.document["untyped"], dropped.document["cluster"]) == (0, {"V100": 4, "K80": 2})
    assert sum(dropped.document["left_out"].values()) == 1
    assert run(*given, "--untyped", "no").code == 2
    assert "6 GPU (given; one pool, types are not told apart)" in run(*given[:-1]).out


def test_page_is_offline_and_hides_names(run, log, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    given = ("audit", log, "--columns", COLUMNS, "--cluster", CLUSTER)
    answer = run(*given, "-o", tmp_path / "page", "--what-if", "add=V100:1x4")
    assert answer.code == 0, answer.err
    page = (tmp_path / "page" / "audit.html").read_text()
    assert "secret" not in page
    assert "queue 1" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "could have avoided" in page
    assert "add=V100:1x4" in page
    assert f"hadaropt audit jobs.csv --cluster {CLUSTER} --columns {COLUMNS} --what-if" in page
    assert str(tmp_path) not in page
    answer = run(*given, "-o", tmp_path / "named", "--names")
    assert "secret-a" in (tmp_path / "named" / "audit.html").read_text()


def test_changes_say_what_schedulers_reach_and_assumed_speeds_bound(run, log):
    given = ("audit", log, "--columns", COLUMNS, "--cluster", CLUSTER, "--schedulers", "srtf")
    what = ("--assume-speeds", "V100=2,K80=1", "--what-if", "add=V100:1x4", "--json")
    answer = run(*given, *what)
    assert answer.code == 0, answer.err
    (change,) = answer.document["what_if"]
    own, other = change["schedulers"]["srtf in rounds"], change["any_type"]
    for low, high in (
        (change["mean_jct_at_least_s"], own["mean_jct_s"]),
        (change["mean_waiting_at_least_s"], own["mean_waiting_s"]),
        (other["mean_jct_s"], other["schedulers"]["srtf in rounds"]["mean_jct_s"]),
    ):
        assert Fraction(low) <= Fraction(high)
    assert (change["incomplete"], change["any_type_left_out"]) == ([], None)
    shown = run(*given, *what[:-1]).out
    assert "proven least, on any type" in shown
    assert "JCT at recorded speeds falls" in " ".join(shown.split())


def test_unknown_log_is_answered_with_the_template(run, log):
    answer = run("audit", log)
    assert answer.code == 4
    assert "--columns submit=SUBMIT" in answer.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--columns", "submit=q"], "must name submit, gpus and end or duration"),
        (["--what-if", "more"], '--what-if "more", must be add='),
        (["--what-if", "add=V100:²x8"], '--what-if "add=V100:²x8", must be add='),
        (["--what-if", "add=V100:" + "9" * 5000 + "x8"], "must have at most 400 digits"),
        (
            ["--schedulers", "hadarr"],
            '--schedulers = "hadarr", did you mean "hadar"? It must be one of',
        ),
        (["--assume-speeds", "V100=1"], "--assume-speeds.K80 = None, must be"),
        (["--cluster", "V100"], "--cluster[0]"),
        (["--assume-speeds", "speeds.csv"], "must be recorded, measured, a csv of throughputs"),
        (["--model", "A3C"], "--model: is for a table of --assume-speeds"),
        (["--utility", "linear[peak]"], "--utility linear[peak]: must be KIND[PARAMETER=VALUE"),
        (["--utility", "lineer[peak=1]"], 'did you mean "linear"?'),
        (["--utility", "linear[peak=1]"], "--utility linear[peak=1]: "),
        (["--utility", "effective-throughput"], "(kind effective_throughput requires it)"),
        (["--nodes", "nodes.csv"], "--nodes: is for a log without --cluster"),
    ],
)
def test_bad_options_are_usage(run, log, options, says):
    given = {"--columns": COLUMNS, "--cluster": CLUSTER, options[0]: options[1]}
    answer = run("audit", log, *(text for option in given.items() for text in option))
    assert answer.code == 2
    assert says in answer.err


def test_total_utility_is_certified_like_any_run(run, log, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    out = tmp_path / "out"
    given = ("--columns", COLUMNS, "--cluster", CLUSTER, "--utility", "linear[peak=50,decay=0.5]")
    answer = run("audit", log, *given, "-o", out, "--json")
    assert answer.code == 0, answer.err
    own = answer.document["utility"]
    values = [Fraction(value) for value in (own["recorded"], *own["schedulers"].values())]
    assert max(values) <= Fraction(own["at_most"])
    files = (out / "utility.instance.json", out / "utility.certificate.json")
    checked = run("verify", *files, "--json")
    assert checked.code == 0, checked.err
    of_long = Fraction(own["at_most"]) - Fraction(own["of_jobs_shorter_than_a_round"])
    assert Fraction(checked.document["bound"]) == of_long
    assert "has the total utility" in " ".join(answer.document["further"])


def test_total_utility_where_the_record_holds_more_than_the_cluster_has(run, log, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    given = ("--columns", COLUMNS, "--cluster", "V100=1x3,K80=1x2", "--capacity", "used")
    utility = ("--utility", "linear[peak=50,decay=0.5]")
    answer = run("audit", log, *given, *utility, "-o", tmp_path / "out", "--json")
    assert answer.code == 0, answer.err
    own = answer.document["utility"]
    names = ("at_most", "of_jobs_shorter_than_a_round", "of_fillers")
    at_most, short, filled = (Fraction(own[name]) for name in names)
    assert filled > 0
    assert (
        max(Fraction(value) for value in (own["recorded"], *own["schedulers"].values())) <= at_most
    )
    files = (tmp_path / "out" / f"utility.{kind}.json" for kind in ("instance", "certificate"))
    checked = run("verify", *files, "--json")
    assert checked.code == 0, checked.err
    assert Fraction(checked.document["bound"]) == at_most - short + filled


def test_jobs_on_any_type_at_the_speeds_of_a_table(run, log, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    table = tmp_path / "speeds.csv"
    rows = ["job_type,scale_factor,worker_type,consolidated,steps_per_s"]
    rows += [f"m,{n},{kind},1,{n * x}" for n in (1, 2, 4) for kind, x in (("V100", 5), ("K80", 1))]
    table.write_text("\n".join(rows))
    given = ("--columns", COLUMNS, "--cluster", CLUSTER, "--assume-speeds", table)
    lacking = run("audit", log, *given)
    assert lacking.code == 2
    assert "--assume-speeds: model of job" in lacking.err
    assert "--columns model=COLUMN" in lacking.err
    more = ("--model", "m", "--schedulers", "srtf", "-o", tmp_path / "out")
    answer = run("audit", log, *given, *more, "--json")
    assert answer.code == 0, answer.err
    own = answer.document["any_type"]
    assert (own["models"], own["relative_speeds"]) == ({"m": 4}, None)
    reached = own["schedulers"]["srtf in rounds"]["mean_jct_s"]
    assert 0 < Fraction(own["mean_jct_s"]) <= reached
    said = " ".join(answer.document["further"])
    assert "at the speeds that the table speeds.csv gives their models" in said
    assert "none of which the log names: taken to be m" in said
    assert "Jobs on any type" in (tmp_path / "out" / "audit.html").read_text()
    measured = run("audit", log, *given[:-1], "measured", "--model", "drawn", "--model-seed", 2)
    assert measured.code == 0, measured.err
    assert "drawn at seed 2" in " ".join(measured.out.split())


def test_a_utility_that_is_too_large_leaves_the_rest_of_the_audit(run, log):
    given = ("--columns", COLUMNS, "--cluster", CLUSTER, "--utility", "linear[peak=1e30,decay=1]")
    answer = run("audit", log, *given, "--json")
    assert answer.code == 0, answer.err
    assert answer.document["utility"] is None
    assert "use longer rounds (--round-seconds)" in answer.document["utility_left_out"]
    assert any("The total utility is left out" in line for line in answer.document["further"])
    assert answer.document["bounds"]["mean_waiting_s"] is not None
    people = run("audit", log, *given)
    assert "The total utility is left out: " in " ".join(people.out.split())


def test_empty_log_is_bad_input(run, tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("")
    answer = run("audit", path, "--columns", COLUMNS)
    assert answer.code == 4
    assert "is empty" in answer.err


def test_log_whose_rows_are_all_dropped_says_why(run, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("q,s,e,n\n0,9,5,1\n")
    answer = run("audit", path, "--columns", "submit=q,start=s,end=e,gpus=n")
    assert answer.code == 4
    assert "1 negative duration" in answer.err


def test_a_workload_is_named_as_one(run, tmp_path):
    path = tmp_path / "workload.json"
    made = run("generate", "gavel_like", "--workload", "--seed", 1, "-o", path)
    assert made.code == 0, made.err
    answer = run("audit", path)
    assert answer.code == 4
    assert "workload.json, is a file of kind hadaropt-workload/1, must be a trace" in answer.err
