"""Help need predicted from event sentences on ProactiveBench, one trace left out at a time."""
