"""The commands of participants: `taking_part` joins, leaves and says how a study stands, `review` shows what is sent.

Light at import; what an action needs is imported when it runs. `words` puts rows into words.
"""
