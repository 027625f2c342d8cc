"""How a running study is doing, without saying who is in which arm.

`delivery` needs only what the collector has; `content` also opens parcels, where the researcher's keys lie. `page`
shows both; `command` holds `kairos study monitor`.
"""
