"""Times of reading, writing and planning, each against Spark's own way of doing it in the same run."""
