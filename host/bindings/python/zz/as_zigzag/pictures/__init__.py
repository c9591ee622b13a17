"""What scripts draw and print of results."""
