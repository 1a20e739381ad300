package io.eyewall.storm.overlap;

import static net.bytebuddy.matcher.ElementMatchers.isDeclaredBy;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.io.UncheckedIOException;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.pool.TypePool;
import org.slf4j.LoggerFactory;

/** Puts {@link WorkerAdvice} into Storm's worker as it is loaded, if it is one that is known. */
final class WorkerTransformer implements ClassFileTransformer {

    /** Which method gets which advice, by names: loading advice would load what it is for. */
    private record Change(String method, int arguments, String advice) {}

    private static final String ADVICE = "io.eyewall.storm.overlap.WorkerAdvice$";

    /** Classes that were changed. */
    private static final Set<String> CHANGED = ConcurrentHashMap.newKeySet();

    private static final Map<String, List<Change>> CHANGES =
            Map.of(
                    KnownCode.WORKER_STATE_CLASS,
                    List.of(
                            new Change("getLocalAssignment", 2, "LocalAssignment"),
                            new Change("refreshConnections", 0, "Connections"),
                            new Change("refreshLoad", 1, "Load"),
                            new Change("refreshStormActive", 1, "Active")),
                    KnownCode.ACKER_CLASS,
                    List.of(
                            new Change("prepare", 3, "AckerPrepare"),
                            new Change("execute", 1, "AckerExecute")),
                    KnownCode.SPOUT_EXECUTOR_CLASS,
                    List.of(
                            new Change("init", 2, "SpoutInit"),
                            new Change("tupleActionFn", 2, "SpoutTuple")),
                    KnownCode.SHELL_PROCESS_CLASS,
                    List.of());

    static boolean isChanged(String className) {
        return CHANGED.contains(className);
    }

    @Override
    public byte[] transform(
            ClassLoader loader,
            String className,
            Class<?> redefined,
            ProtectionDomain domain,
            byte[] classFile) {
        if (!KnownCode.isTarget(className) || redefined != null) {
            return null;
        }
        if (!KnownCode.isKnown(className, classFile)) {
            say(className, "this Storm's is not one that is known", null);
            if (KnownCode.isNeeded(className)) {
                StartingCores.started(); // nothing here will learn when it has
                announceUnknown(loader);
            }
            return null;
        }
        try {
            byte[] changed = advised(loader, className.replace('/', '.'), classFile);
            CHANGED.add(className);
            return changed;
        } catch (RuntimeException | LinkageError e) {
            say(className, "it could not be changed", e);
            return null;
        }
    }

    private static void announceUnknown(ClassLoader loader) {
        try {
            ServingMark.ofThisProcess()
                    .ifPresent(it -> it.announceUnknown(KnownCode.release(loader)));
        } catch (UncheckedIOException e) {
            LoggerFactory.getLogger(OverlapAgent.class).warn("the sidecar does not get to know it", e);
        }
    }

    private static byte[] advised(ClassLoader loader, String name, byte[] classFile) {
        ClassFileLocator locator =
                new ClassFileLocator.Compound(
                        ClassFileLocator.Simple.of(name, classFile),
                        ClassFileLocator.ForClassLoader.of(loader),
                        ClassFileLocator.ForClassLoader.of(OverlapAgent.class.getClassLoader()));
        TypePool types = TypePool.Default.of(locator);
        TypeDescription type = types.describe(name).resolve();
        DynamicType.Builder<?> changed =
                new ByteBuddy().with(TypeValidation.DISABLED).redefine(type, locator);
        for (Change change : CHANGES.get(name.replace('.', '/'))) {
            Advice advice = Advice.to(types.describe(ADVICE + change.advice()).resolve(), locator);
            changed =
                    changed.visit(
                            advice.on(
                                    named(change.method())
                                            .and(takesArguments(change.arguments()))));
        }
        if (KnownCode.SHELL_PROCESS_CLASS.equals(name.replace('.', '/'))) {
            changed = changed.visit(takingEarlyProcesses(types));
        }
        return changed.make().getBytes();
    }

    /** Where a process is launched, {@link Handovers#startProcess} is asked for one. */
    private static AsmVisitorWrapper takingEarlyProcesses(TypePool types) {
        MethodDescription start =
                types.describe(Handovers.class.getName())
                        .resolve()
                        .getDeclaredMethods()
                        .filter(named("startProcess"))
                        .getOnly();
        return MemberSubstitution.strict()
                .method(named("start").and(isDeclaredBy(ProcessBuilder.class)))
                .replaceWith(start)
                .on(named("launch").and(takesArguments(3)));
    }

    /** Its logger is not a field: the agent comes before the worker has begun to log. */
    private static void say(String className, String what, Throwable why) {
        String effect =
                KnownCode.isNeeded(className)
                        ? "moves are as without eyewall's agent"
                        : "spouts in other languages start when their turn comes";
        LoggerFactory.getLogger(OverlapAgent.class)
                .warn("{}: {}: {}", effect, className.replace('/', '.'), what, why);
    }
}
