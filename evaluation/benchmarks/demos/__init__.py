"""The embedded detector on recordings of `kairos demo`, whose scripts it did not learn from."""
