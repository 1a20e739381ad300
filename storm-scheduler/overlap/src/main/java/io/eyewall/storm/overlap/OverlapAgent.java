package io.eyewall.storm.overlap;

import java.lang.instrument.Instrumentation;

/** Where a worker's JVM begins with {@code -javaagent}. */
public final class OverlapAgent {

    /**
     * What the agent, the shim and the sidecar agree on: {@link MoveOrder}'s form and how workers hand
     * over. OVERLAP_CONTRACT of the contracts; the sidecar orders moves of no agent with another one.
     */
    static final int CONTRACT = 1;

    private OverlapAgent() {}

    /** Has Storm's classes changed as they are loaded; called by the JVM. */
    public static void premain(String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new WorkerTransformer());
        StartingCores.releaseOnceStarted();
    }

    /** The jar's version. */
    static String version() {
        String version = OverlapAgent.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version; // not from a jar
    }
}
