package io.eyewall.storm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The {@code eyewall.*} keys of Nimbus's storm.yaml.
 *
 * <p>Reading never fails: a bad value is named in {@code complaints} and its default applies: a
 * mistake in a scheduler's settings must not keep Nimbus from starting.
 *
 * @param addresses sidecars, asked in this order
 * @param inner places what the sidecar does not decide
 * @param firstDeadline for a round in which some topology waits for its first placement
 * @param roundDeadline for every other round
 * @param pushAssignments whether each changed assignment is sent to every supervisor at once
 * @param pushTimeout for one supervisor
 * @param complaints what was wrong, one sentence each
 */
record ShimSettings(
        List<Address> addresses,
        Inner inner,
        Duration firstDeadline,
        Duration roundDeadline,
        boolean pushAssignments,
        Duration pushTimeout,
        List<String> complaints) {

    private static final String PREFIX = "eyewall.";

    /** Where a sidecar listens. */
    record Address(String host, int port) {
        @Override
        public String toString() {
            return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
        }
    }

    /** Storm's scheduler that places what the sidecar does not decide. */
    enum Inner {
        RESOURCE_AWARE("resource-aware"),
        DEFAULT("default");

        private final String value;

        Inner(String value) {
            this.value = value;
        }
    }

    static ShimSettings read(Map<String, Object> conf) {
        Reader reader = new Reader(conf);
        reader.complainAboutUnknownKeys();
        return new ShimSettings(
                reader.addresses(
                        SettingKeys.SIDECAR_ADDRESSES, List.of(new Address("127.0.0.1", 7077))),
                reader.inner(SettingKeys.SCHEDULER_INNER, Inner.RESOURCE_AWARE),
                reader.milliseconds(SettingKeys.DEADLINE_FIRST_MS, Duration.ofSeconds(2)),
                reader.milliseconds(SettingKeys.DEADLINE_ROUND_MS, Duration.ofSeconds(1)),
                reader.bool(SettingKeys.PUSH_ASSIGNMENTS, true),
                reader.milliseconds(SettingKeys.PUSH_TIMEOUT_MS, Duration.ofSeconds(2)),
                List.copyOf(reader.complaints));
    }

    private static final class Reader {
        private final Map<String, Object> conf;
        private final List<String> complaints = new ArrayList<>();

        Reader(Map<String, Object> conf) {
            this.conf = conf;
        }

        void complainAboutUnknownKeys() {
            for (String key : new TreeSet<>(conf.keySet())) {
                if (key.startsWith(PREFIX)
                        && !SettingKeys.SHIM.contains(key)
                        && !SettingKeys.TOPOLOGY.contains(key)) {
                    complaints.add(
                            "unknown key %s, it does nothing; the scheduler's keys are %s, defaults for topologies are %s"
                                    .formatted(
                                            key,
                                            new TreeSet<>(SettingKeys.SHIM),
                                            new TreeSet<>(SettingKeys.TOPOLOGY)));
                }
            }
        }

        List<Address> addresses(String key, List<Address> fallback) {
            Object value = conf.get(key);
            if (value == null) {
                return fallback;
            }
            List<Address> addresses = new ArrayList<>();
            for (Object item : value instanceof List<?> list ? list : List.of(value)) {
                Address address = address(String.valueOf(item));
                if (address == null) {
                    complain(key, item, "host:port, e.g. sidecar-1:7077", "the others");
                } else {
                    addresses.add(address);
                }
            }
            if (addresses.isEmpty()) {
                complain(key, value, "a list of at least one host:port", fallback);
                return fallback;
            }
            return List.copyOf(addresses);
        }

        /** IPv6 hosts are in brackets; null if it is not an address. */
        private static Address address(String text) {
            int colon = text.lastIndexOf(':');
            if (colon < 1) {
                return null;
            }
            String host = text.substring(0, colon).strip();
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            } else if (host.contains(":")) {
                return null;
            }
            try {
                int port = Integer.parseInt(text.substring(colon + 1).strip());
                return host.isEmpty() || port < 1 || port > 65535 ? null : new Address(host, port);
            } catch (NumberFormatException noNumber) {
                return null;
            }
        }

        Inner inner(String key, Inner fallback) {
            Object value = conf.get(key);
            if (value == null) {
                return fallback;
            }
            for (Inner inner : Inner.values()) {
                if (inner.value.equals(value)) {
                    return inner;
                }
            }
            complain(
                    key,
                    value,
                    Inner.RESOURCE_AWARE.value + " or " + Inner.DEFAULT.value,
                    fallback.value);
            return fallback;
        }

        Duration milliseconds(String key, Duration fallback) {
            Object value = conf.get(key);
            if (value == null) {
                return fallback;
            }
            if ((value instanceof Integer || value instanceof Long)
                    && ((Number) value).longValue() >= 1
                    && ((Number) value).longValue() <= SettingKeys.MOST_MILLISECONDS) {
                return Duration.ofMillis(((Number) value).longValue());
            }
            complain(
                    key,
                    value,
                    "a whole number of milliseconds from 1 to " + SettingKeys.MOST_MILLISECONDS,
                    fallback.toMillis());
            return fallback;
        }

        boolean bool(String key, boolean fallback) {
            Object value = conf.get(key);
            if (value == null) {
                return fallback;
            }
            if (value instanceof Boolean bool) {
                return bool;
            }
            complain(key, value, "true or false", fallback);
            return fallback;
        }

        private void complain(String key, Object value, String allowed, Object instead) {
            complaints.add("%s: %s is not %s; going on with %s".formatted(key, value, allowed, instead));
        }
    }
}
