package io.eyewall.storm.overlap;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Whether nobody runs a spout any more. What a worker wrote that has died stays until its session
 * has expired, 20 s by default; its port refuses connections at once.
 */
final class HeldSpout {

    /** In a row, at looks a second apart: its port may be about to listen. */
    private static final int REFUSALS = 2;

    private static final long LOOK_MILLIS = 1_000;

    private final Map<SpoutTurns.Holder, Integer> refusals = new HashMap<>();
    private long looked;

    /**
     * Asked again and again.
     *
     * @param holders workers that said that they run the spout, and have not taken it back
     * @param refuses whether a worker refuses connections
     */
    boolean isVacant(
            List<SpoutTurns.Holder> holders, Predicate<SpoutTurns.Holder> refuses, long now) {
        if (now - looked >= LOOK_MILLIS) {
            looked = now;
            holders.forEach(
                    it -> {
                        if (refuses.test(it)) {
                            refusals.merge(it, 1, Integer::sum);
                        } else {
                            refusals.remove(it);
                        }
                    });
        }
        return holders.stream().allMatch(it -> refusals.getOrDefault(it, 0) >= REFUSALS);
    }
}
