package io.eyewall.storm;

import io.eyewall.storm.rpc.Decision;
import java.util.List;

/** What asking the sidecar came to. */
sealed interface Answer {

    /** The sidecar answered in time; a topology without a decision stays as it runs. */
    record Decided(List<Decision> decisions) implements Answer {}

    /** There is no answer to go by, for this reason: "sidecar did not answer in 2 s". */
    record Failed(Cause cause, String reason) implements Answer {}

    /** Kinds of failure, for counting. */
    enum Cause {
        LATE,
        UNREACHABLE,
        UNUSABLE
    }
}
