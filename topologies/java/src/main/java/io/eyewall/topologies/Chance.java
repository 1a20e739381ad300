package io.eyewall.topologies;

/** Numbers that look random and follow from their arguments, so that a replay meets the same fate. */
final class Chance {
    private static final double RANGE = 0x1p53;

    private Chance() {}

    /** Returns a number from 0 up to 1 (SplitMix64's finaliser, Steele et al., OOPSLA 2014). */
    static double of(long number, long salt) {
        long mixed = number * 0x9E3779B97F4A7C15L + salt * 0xD1B54A32D192ED03L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return ((mixed ^ (mixed >>> 31)) >>> 11) / RANGE;
    }
}
