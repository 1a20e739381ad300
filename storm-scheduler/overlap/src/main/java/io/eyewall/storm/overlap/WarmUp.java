package io.eyewall.storm.overlap;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/**
 * Whether a young JVM has compiled what it needs to be fast: until then it takes what it gets of the
 * host, and tuples wait in it.
 */
final class WarmUp {

    /** It is warm once its compilers were busy for no more of a second than this. */
    private static final double SHARE = 0.3;

    private static final long LOOK_MILLIS = 1_000;

    private final CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    private final boolean isKnown =
            compilers != null && compilers.isCompilationTimeMonitoringSupported();
    private long since;
    private long compiledBefore;
    private boolean isOver;

    /** Asked again and again; once it is over it stays over. */
    boolean isOver(long now) {
        return isOver(now, isKnown ? compilers.getTotalCompilationTime() : 0);
    }

    /** The same of compilers that were busy for so long in all. */
    boolean isOver(long now, long compiledMillis) {
        if (since == 0) {
            since = now;
            compiledBefore = compiledMillis;
        } else if (now - since >= LOOK_MILLIS) {
            isOver = isOver || compiledMillis - compiledBefore <= SHARE * (now - since);
            since = now;
            compiledBefore = compiledMillis;
        }
        return isOver;
    }
}
