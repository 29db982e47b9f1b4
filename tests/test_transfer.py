"""The ways in which a new algorithm is learnt differ in the processor alone."""

from dataclasses import replace

from benchmarks.transfer import JOINT, ROOT, WAYS, configuration, read_results, table


def test_ways_differ_in_the_processor_alone() -> None:
    run = ROOT / "runs" / "transfer" / "joint" / JOINT[0]
    new, *others = (configuration("bfs", run, 1, 20, **way) for way in WAYS.values())
    for config in others:
        assert config.processor_from
        assert replace(config, processor_from="", keep_processor=False) == new


def test_the_runs_that_are_kept_are_of_algorithms_that_the_joint_network_does_not_know() -> None:
    results = read_results()
    assert {way for _, way in results} == {*WAYS}
    for (algorithm, way), runs in results.items():
        assert algorithm not in JOINT
        assert [run["config"]["seed"] for run in runs] == list(range(1, len(runs) + 1))
        assert all(run["config"]["keep_processor"] == (way == "kept") for run in runs)
        assert f"| {algorithm} | {way} | {len(runs)} |" in table(results)
