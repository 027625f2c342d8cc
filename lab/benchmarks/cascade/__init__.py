"""The cascade of embedded detector, local and strong model, with scripted models; it also fits the weights."""

__all__ = ["command"]
