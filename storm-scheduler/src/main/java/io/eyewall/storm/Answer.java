package io.eyewall.storm;

import io.eyewall.storm.rpc.Decision;
import java.util.List;

/** The result of asking the sidecars for decisions. */
sealed interface Answer {

    /** The sidecar answered in time; a topology without a decision stays as it runs. */
    record Decisions(List<Decision> list) implements Answer {}

    /** There is no usable answer, for this reason: "sidecar did not answer in 2 s". */
    record Failure(Cause cause, String reason) implements Answer {}

    /** Kinds of failure, for counting. */
    enum Cause {
        LATE,
        UNREACHABLE,
        UNUSABLE
    }
}
