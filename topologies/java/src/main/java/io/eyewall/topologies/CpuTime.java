package io.eyewall.topologies;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** What a tuple costs: CPU time by the thread's own clock, so a capped host takes longer for it. */
final class CpuTime {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long NANOS_PER_MICRO = 1_000;

    private CpuTime() {}

    static void spend(double micros) {
        if (micros <= 0) {
            return;
        }
        long end = THREADS.getCurrentThreadCpuTime() + (long) (micros * NANOS_PER_MICRO);
        while (THREADS.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
    }
}
