from random import Random

from eyewall_latency.memory import Fading, Memory
from eyewall_latency.peers import Choosing, keep_nearest, next_peers

MANY = [f"h{index}" for index in range(200)]
FEW = MANY[:5]


def number(name: str) -> float:
    """The distance of h7 is 7."""
    return float(name[1:])


def choose(count: int, names: list[str], memory: Memory, *, now: float, seed: int = 0) -> list[str]:
    settings = Choosing(mesh_hosts=100, explore=10, keep=3, keep_fresh_seconds=60.0)
    return next_peers(count, names, memory, number, settings, now, Random(seed))


def test_in_a_small_cluster_everyone_is_probed_in_turn() -> None:
    memory = Memory(Fading())
    turns = []
    for now in range(10):
        (name,) = choose(1, FEW, memory, now=float(now))
        memory.tried(name, float(now))
        memory.measured(name, 0.01, float(now))
        turns.append(name)
    assert sorted(turns[:5]) == FEW
    assert turns[5:] == turns[:5]


def test_a_host_that_does_not_answer_keeps_no_other_from_its_turn() -> None:
    memory = Memory(Fading())
    tried = []
    for now in range(10):
        (name,) = choose(1, FEW, memory, now=float(now))
        memory.tried(name, float(now))
        if name != "h0":
            memory.measured(name, 0.01, float(now))
        tried.append(name)
    assert sorted(tried[:5]) == sorted(tried[5:]) == FEW


def test_in_a_large_cluster_one_explores_at_random_first() -> None:
    memory = Memory(Fading())
    for turn in range(10):
        (name,) = choose(1, MANY, memory, now=float(turn), seed=turn)
        assert memory.get(name) is None
        memory.tried(name, float(turn))
    drawn = [number(name) for name in MANY if memory.get(name) is not None]
    assert max(drawn) > 50


def test_then_the_nearest_are_looked_for_and_kept_fresh() -> None:
    memory = Memory(Fading())
    for name in MANY[100:120]:
        memory.measured(name, number(name), now=0.0)
    for now in range(40):
        (name,) = choose(1, MANY, memory, now=float(now), seed=now)
        memory.tried(name, float(now))
        memory.measured(name, number(name), now=float(now))
    assert all(memory.get(name) is not None for name in ("h0", "h1", "h2"))
    # Fresh for a minute: until then, nothing but hosts never measured.
    again = [choose(1, MANY, memory, now=50.0, seed=seed)[0] for seed in range(50)]
    assert not {"h0", "h1", "h2"} & set(again)
    later = [choose(1, MANY, memory, now=200.0, seed=seed)[0] for seed in range(50)]
    assert {"h0", "h1", "h2"} & set(later)


def test_nobody_is_chosen_twice_and_never_more_than_there_are() -> None:
    assert sorted(choose(9, FEW, Memory(Fading()), now=0.0)) == FEW
    many = choose(50, MANY, Memory(Fading()), now=0.0)
    assert len(set(many)) == 50


def test_the_paper_keeps_the_i_nearest() -> None:
    assert keep_nearest(["h9", "h3", "h5"], 2, number) == ["h3", "h5"]
