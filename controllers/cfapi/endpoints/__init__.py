"""What each path answers; a module for each noun of the API."""
