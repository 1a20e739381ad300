"""What the topologies share: settings, event files, CPU work and sentences. Knows no Storm."""
