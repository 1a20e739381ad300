from __future__ import annotations

from eyewall_monitor.agent.thread_names import Name, TaskThreads, groups, names_in, unnamed
from hypothesis import given
from hypothesis import strategies as st


def test_threads_of_components_that_look_different_are_named_without_a_log() -> None:
    # 15 bytes: `Thread-12-split` and `Thread-9-count-`.
    threads = [(101, "Thread-12-split"), (102, "Thread-9-count-"), (103, "GC Thread#0")]
    assert groups(threads, {3: "count", 5: "split"}, []) == [
        TaskThreads((102,), (3,)),
        TaskThreads((101,), (5,)),
    ]


def test_threads_that_are_indistinguishable_form_a_group() -> None:
    threads = [(101, "Thread-12-count"), (102, "Thread-13-count")]
    assert groups(threads, {3: "count", 4: "count"}, []) == [TaskThreads((101, 102), (3, 4))]


def test_the_log_tells_which_is_which() -> None:
    threads = [(101, "Thread-12-count"), (102, "Thread-13-count")]
    logged = [Name(12, "count", 4, 4), Name(13, "count", 3, 3)]
    assert groups(threads, {3: "count", 4: "count"}, logged) == [
        TaskThreads((102,), (3,)),
        TaskThreads((101,), (4,)),
    ]


def test_the_last_thread_is_named_when_the_log_names_all_others() -> None:
    threads = [(101, "Thread-12-count"), (102, "Thread-13-count")]
    assert groups(threads, {3: "count", 4: "count"}, [Name(12, "count", 4, 4)]) == [
        TaskThreads((102,), (3,)),
        TaskThreads((101,), (4,)),
    ]


def test_components_that_begin_alike_stand_together() -> None:
    # `Thread-12-parse` may be either; `Thread-3-parse-` (one digit more of the name) too.
    threads = [(101, "Thread-12-parse"), (102, "Thread-3-parse-")]
    components = {3: "parse-json", 4: "parse-xml"}
    assert groups(threads, components, []) == [TaskThreads((101, 102), (3, 4))]


def test_groups_that_share_a_task_become_one() -> None:
    # With three digits `coun`: count or counter; with one digit only `counter`.
    threads = [(101, "Thread-123-coun"), (102, "Thread-7-counte")]
    components = {3: "count", 4: "counter"}
    assert groups(threads, components, []) == [TaskThreads((101, 102), (3, 4))]


def test_an_executor_of_several_tasks_has_them_all() -> None:
    logged = [Name(12, "count", 3, 5)]
    components = {3: "count", 4: "count", 5: "count"}
    assert groups([(101, "Thread-12-count")], components, logged) == [
        TaskThreads((101,), (3, 4, 5))
    ]


def test_later_javas_keep_both_ends_of_the_name() -> None:
    # Java 21 makes `Thread-..[3, 3]` of it, and `Thread-..2, 12]` of a task with two digits.
    threads = [(101, "Thread-..[3, 3]"), (102, "Thread-..2, 12]")]
    assert groups(threads, {3: "count", 12: "split", 2: "count"}, []) == [
        TaskThreads((101,), (3,)),
        TaskThreads((102,), (12,)),
    ]


def test_a_component_with_dots_is_known_by_its_underscores() -> None:
    assert groups([(101, "Thread-12-my.bo")], {3: "my_bolt"}, []) == [TaskThreads((101,), (3,))]


def test_other_threads_belong_to_no_executor() -> None:
    threads = [(1, "java"), (2, "Thread-5"), (3, "C1 CompilerThre"), (4, "Thread-7-other")]
    assert groups(threads, {3: "count"}, []) == []


def test_a_name_that_the_log_had_in_another_life_is_not_believed() -> None:
    logged = [Name(12, "split", 5, 5)]
    assert groups([(101, "Thread-12-count")], {3: "count", 5: "split"}, logged) == [
        TaskThreads((101,), (3,))
    ]


def test_names_are_read_from_the_logs_lines() -> None:
    text = (
        "2026-01-01 00:00:00.000 o.a.s.e.b.BoltExecutor Thread-12-count-executor[3, 3] [INFO] "
        "Preparing bolt count:[3]\n"
        "2026-01-01 00:00:00.001 o.a.s.e.s.SpoutExecutor Thread-9-my source-executor[10, 12] [INFO]"
        " Opening spout\n"
        "2026-01-01 00:00:00.002 o.a.s.d.w.Worker main [INFO] Launching\n"
    )
    assert names_in(text) == [Name(12, "count", 3, 3), Name(9, "my source", 10, 12)]


def test_the_log_has_more_to_say_while_a_thread_has_no_whole_name() -> None:
    assert unnamed(["Thread-12-count"], [])
    assert not unnamed(["Thread-12-count", "main"], [Name(12, "count", 3, 3)])


@given(
    st.lists(st.tuples(st.integers(1, 9), st.text(max_size=15)), max_size=5),
    st.dictionaries(st.integers(-1, 20), st.text(min_size=1, max_size=8), max_size=5),
)
def test_no_task_is_ever_in_two_groups(
    threads: list[tuple[int, str]], components: dict[int, str]
) -> None:
    tasks = [task for group in groups(threads, components, []) for task in group.tasks]
    assert len(tasks) == len(set(tasks))
