"""What differs between two reports, two bundles or two hosts: findings first, then the facts behind them."""
