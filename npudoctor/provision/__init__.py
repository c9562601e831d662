"""Bring hosts to a named stack: stacks and packages, plan, the states of one host, the fleet, Ansible."""
