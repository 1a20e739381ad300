"""What a branch costs at least: one bound a file, each with its proof and what it bought."""
