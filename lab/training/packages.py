"""Checks for the packages of the `train` extra without importing them."""

from importlib.util import find_spec

from storage.errors import EnvironmentFault

TRAINING_PACKAGES = {
    "sklearn": "scikit-learn",
    "jax": "jax",
    "onnx": "onnx",
    "scipy": "scipy",
    "threadpoolctl": "threadpoolctl",
}
"""The train extra, by the modules that are imported."""


def need_training_packages() -> None:
    """Make sure that the packages of the `train` extra are installed.

    Raises:
        EnvironmentFault: some are not; it names them and what to install.
    """
    missing = [name for module, name in TRAINING_PACKAGES.items() if find_spec(module) is None]
    if missing:
        raise EnvironmentFault(
            f"not installed: {', '.join(missing)}",
            remedy="install what is needed: pip install 'kairos-assistant[train]'",
        )
