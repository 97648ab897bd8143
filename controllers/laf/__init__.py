"""What the controllers of laf share: settings, the catalogue, and how a status is told."""
