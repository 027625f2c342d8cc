"""Agentnet."""
