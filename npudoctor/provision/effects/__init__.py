"""What provisioning does to hosts and sees of them: one protocol, and the real ways behind it."""
