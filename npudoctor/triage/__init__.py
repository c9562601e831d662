"""From an error dump to its ranked causes: codes and signatures as data, weighed by the host's findings."""
