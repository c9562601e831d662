"""What a provisioning run would do, before it does anything: survey, differences, steps, blockers."""
