"""What two parts of Eyewall say to each other, and nothing else."""
