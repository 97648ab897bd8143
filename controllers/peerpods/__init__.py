"""What the controllers of peer pods share: names, what can be chosen, and how settings of a cloud are read."""
