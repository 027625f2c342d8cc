"""The commands of participants: `membership` joins, leaves and says how a study stands, `review` shows what is sent.

`delivery` sends and packs now. Light at import; what an action needs is imported when it runs.
"""
