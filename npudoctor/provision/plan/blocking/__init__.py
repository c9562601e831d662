"""What can be in the way of a change: a function a key, in files by what they look at."""
