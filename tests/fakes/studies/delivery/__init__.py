"""A real broker, collectors and people with outboxes, for tests of delivery."""
