"""`eyewall-deploy delays`: what the latency agents found, beside what the network really does."""
