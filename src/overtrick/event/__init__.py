"""What may happen in an event: commands in, facts out. Knows no clock, no random number, no file."""
