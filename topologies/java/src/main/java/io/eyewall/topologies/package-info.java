/** Topologies that carry a given load and write down, second by second, how they carried it. */
package io.eyewall.topologies;
