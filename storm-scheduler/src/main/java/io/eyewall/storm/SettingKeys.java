package io.eyewall.storm;

import java.util.Set;

/**
 * The {@code eyewall.*} keys.
 *
 * <p>Generated from contracts/src/eyewall_contracts/setting_keys.py by {@code make settings}.
 */
final class SettingKeys {

    private SettingKeys() {}

    /** Sidecars, asked in this order. */
    static final String SIDECAR_ADDRESSES = "eyewall.sidecar.addresses";

    /** The scheduler that places what Eyewall does not. */
    static final String SCHEDULER_INNER = "eyewall.scheduler.inner";

    /** How long a round waits for the sidecar when a topology has executors without a slot. */
    static final String DEADLINE_FIRST_MS = "eyewall.deadline.first.ms";

    /** How long any other round waits for the sidecar. */
    static final String DEADLINE_ROUND_MS = "eyewall.deadline.round.ms";

    /** Whether a new assignment is sent to every supervisor at once. */
    static final String PUSH_ASSIGNMENTS = "eyewall.push.assignments";

    /** How long sending an assignment to one supervisor may take. */
    static final String PUSH_TIMEOUT_MS = "eyewall.push.timeout.ms";

    /** Whether Eyewall places and moves the topology, only reports, or leaves it alone. */
    static final String MODE = "eyewall.mode";

    /** Whether old workers serve on until new ones carry tuples, where hosts have the agent for it. */
    static final String MOVES = "eyewall.moves";

    /** The longest time that a setting of the shim may be. */
    static final long MOST_MILLISECONDS = 60_000;

    /** Keys that the shim reads. */
    static final Set<String> SHIM =
            Set.of(
                    "eyewall.sidecar.addresses",
                    "eyewall.scheduler.inner",
                    "eyewall.deadline.first.ms",
                    "eyewall.deadline.round.ms",
                    "eyewall.push.assignments",
                    "eyewall.push.timeout.ms");

    /** Keys of a topology, which the sidecar reads. */
    static final Set<String> TOPOLOGY =
            Set.of(
                    "eyewall.mode",
                    "eyewall.moves",
                    "eyewall.exclusive",
                    "eyewall.policy",
                    "eyewall.objective",
                    "eyewall.early.objective",
                    "eyewall.time.limit.ms",
                    "eyewall.pin",
                    "eyewall.rate.hint",
                    "eyewall.execution.time.hint.ms",
                    "eyewall.tuple.bytes.hint",
                    "eyewall.headroom",
                    "eyewall.executors.per.slot",
                    "eyewall.rate.promised.mbit",
                    "eyewall.budget.per.mb");
}
