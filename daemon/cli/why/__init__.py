"""`kairos why`: why help was offered, and why it was not; begin with `command`."""
