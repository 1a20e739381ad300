/**
 * Moves without a gap: on supervisor hosts, in workers as a Java agent and in supervisors as their
 * resource isolation.
 *
 * <p>Storm ends a worker as soon as its executors are assigned elsewhere, and starts its successor
 * meanwhile. Here the old worker serves on until the successor's executors are prepared, and every
 * worker sends to the old place until then. docs/design/seamless-moves.md has the protocol.
 */
package io.eyewall.storm.overlap;
