"""Every expected number was printed by OpenJDK 17."""

from eyewall_papers.instances.java_random import JavaRandom


def test_it_draws_what_java_draws() -> None:
    rng = JavaRandom(42)
    assert [rng.below(10) for _ in range(3)] == [0, 3, 8]
    assert rng.below(16) == 0, "a power of 2 takes the high bits"
    assert rng.next_double() == 0.30871945533265976
    assert rng.next_int() == 1190043011


def test_numbers_of_an_incomplete_last_run_are_drawn_again() -> None:
    # Almost half of all draws are too great for a bound of 2^30 + 1.
    rng = JavaRandom(42)
    for _ in range(7):
        rng.next_int()
    bound = (1 << 30) + 1
    assert [rng.below(bound) for _ in range(3)] == [196118093, 969067502, 791955276]


def test_a_negative_seed_is_two_s_complement() -> None:
    rng = JavaRandom(-7)
    assert [rng.next_int(), rng.next_double(), rng.below(20)] == [1155869324, 0.9014975826916275, 7]


def test_ints_are_signed() -> None:
    # new Random(42).nextInt() is -1170105035, the number that many Java texts show.
    assert JavaRandom(42).next_int() == -1170105035


def test_skipping_draws_is_drawing_them() -> None:
    one, other = JavaRandom(1), JavaRandom(1)
    one.skip(3)
    for _ in range(3):
        other.next_int()
    assert one.next_int() == other.next_int()
