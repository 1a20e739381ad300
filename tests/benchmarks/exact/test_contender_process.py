from benchmarks.exact.cases import GROUPS, TABLE
from benchmarks.exact.contender_process import ContenderProcess
from benchmarks.exact.contenders import Question


def test_a_contender_that_overruns_is_ended_and_the_next_question_gets_a_new_process() -> None:
    slow, quick = TABLE[0], GROUPS["sodp"][1]
    with ContenderProcess() as worker:
        # The paper's program for 20 × 20 takes CBC several seconds, and building it more than 0.1.
        question = Question(slow.problem(0), slow.objective, 60.0, 0, {})
        overrun = worker.ask("PuLP+CBC", question, patience=0.1)
        assert (overrun.cost, overrun.proven) == (None, False)
        assert "ended after" in overrun.remark
        answer = worker.ask(
            "greedy", Question(quick.problem(0), quick.objective, 60.0, 0, {}), patience=60.0
        )
        assert answer.cost is not None
        assert answer.remark == "heuristic, greedy"  # and not what the first one would have said


def test_a_contender_that_raises_is_a_remark() -> None:
    case = GROUPS["sodp"][0]
    with ContenderProcess() as worker:
        question = Question(case.problem(0), case.objective, 1.0, 0, {})
        run = worker.ask("no such policy", question, patience=60.0)
        assert run.failed
        assert run.remark == "KeyError: 'no such policy'"
