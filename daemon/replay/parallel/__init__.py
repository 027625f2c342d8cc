"""The same function over many items: in processes of this machine, or on a Dask cluster.

It knows nothing of what the function does, and imports only `storage.errors` of ours. Begin with `map_in_order` in
`pool`; Dask is imported by `dask_cluster` alone.
"""

__all__ = ["pool"]
