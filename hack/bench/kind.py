"""What is measured with, in words that need none of our modules."""

GROUP = "com.redhat.ecosystem.sample"
VERSION = "v1"
PLURAL = "requeststates"
