"""Taking part in a study: the folder of a joined one, consent, joining, answering a new version, leaving.

`folder` says what lies where and `lock` who may change it; `status` tells where a person stands in a study. `joining`
and `leaving` change that. Begin with `folder`.
"""

__all__ = ["consent", "describe", "folder", "joining", "leaving", "lock", "status"]
