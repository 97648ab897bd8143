"""What a controller saw, as conditions and events: what is shared by controllers of several groups."""
