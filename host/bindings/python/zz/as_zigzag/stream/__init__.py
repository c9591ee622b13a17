"""Stream's calls, results and pictures."""
