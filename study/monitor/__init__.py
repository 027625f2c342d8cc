"""How a running study is doing, without saying who is in which arm.

`status` reads the collector's file and, where the researcher's keys lie, opens parcels too; `page` shows both.
"""

__all__ = ["page", "status"]
