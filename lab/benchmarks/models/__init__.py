"""What asking a model costs on our side, without any model: loading, building requests, cancelling them."""

__all__ = ["benchmark"]
