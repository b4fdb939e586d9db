"""What every evaluation shares: its directory, its workers, and going on after a kill."""
