"""The exact search: trees over supports, and the bounds that prune them."""
