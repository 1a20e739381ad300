package io.eyewall.storm.overlap;

/**
 * What an acker knows of a tuple's tree.
 *
 * @param value exclusive or of all ids that it received
 * @param spoutTask whose tuple it is; below 0 if the source has not been heard of yet
 */
record AckedTree(long value, int spoutTask, boolean failed) {}
