"""One file for each command: parse, call one library function, print."""
