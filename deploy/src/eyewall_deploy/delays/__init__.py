"""`eyewall-deploy delays`: the latency agents' estimates next to the true delays."""
