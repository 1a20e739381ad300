package io.eyewall.storm.overlap;

import java.lang.instrument.Instrumentation;

/** Where a worker's JVM begins with {@code -javaagent}. */
public final class OverlapAgent {

    private OverlapAgent() {}

    /** Has Storm's classes changed as they are loaded; called by the JVM. */
    public static void premain(String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new WorkerTransformer());
    }
}
