"""Test kit for controllers."""
