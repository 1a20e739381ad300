/**
 * The scheduler that runs inside Nimbus: it sends the cluster's state to the sidecar, applies the
 * sidecar's decisions, and leaves everything else to Storm's own scheduler.
 */
package io.eyewall.storm;
