/**
 * The scheduler that runs inside Nimbus: shows the cluster to the sidecar, carries out what it
 * decides, and leaves everything else to Storm's own scheduler.
 */
package io.eyewall.storm;
