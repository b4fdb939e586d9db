"""What is measured of evaluated episodes: their records, averages with intervals, failures by class, costs."""
