"""What a start of Kairos and `kairos status` cost. Imports `demo.virtual_desktop`. Begin with `benchmark`."""
