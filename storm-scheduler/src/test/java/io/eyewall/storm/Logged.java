package io.eyewall.storm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;

/** What is logged under the project's name while this is open: "WARN the text". */
final class Logged implements AutoCloseable {

    private final Logger logger = (Logger) LogManager.getLogger(Logged.class.getPackageName());
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final AbstractAppender appender =
            new AbstractAppender("lines", null, null, true, Property.EMPTY_ARRAY) {
                @Override
                public void append(LogEvent event) {
                    lines.add(event.getLevel() + " " + event.getMessage().getFormattedMessage());
                }
            };

    Logged() {
        appender.start();
        logger.addAppender(appender);
        Configurator.setLevel(logger.getName(), Level.INFO);
    }

    List<String> lines() {
        return lines;
    }

    /** Until so many lines are there, for what other threads log. */
    void awaitLines(int count) throws InterruptedException {
        for (int i = 0; i < 600 && lines.size() < count; i++) {
            Thread.sleep(100);
        }
        assertThat(lines).hasSize(count);
    }

    @Override
    public void close() {
        Configurator.setLevel(logger.getName(), Level.OFF);
        logger.removeAppender(appender);
    }
}
