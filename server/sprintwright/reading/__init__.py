"""Pure functions from what agents and commands wrote to values. Linear in the text; bad text is never an exception."""
