"""Load test of a served model: prompts, rising arrival rates through locust, the figures of each step."""

from pathlib import Path

LOCUSTFILE = Path(__file__).with_name("locustfile.py")
"""What locust runs; on a further machine: `locust -f LOCUSTFILE --worker --master-host THIS`."""
