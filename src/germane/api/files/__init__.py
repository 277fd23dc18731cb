"""Recognition of files, and the commands that take them."""
