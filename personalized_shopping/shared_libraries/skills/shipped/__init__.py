"""The skills that come with the program, as read-only data below ``library/``, and what they are made from."""
