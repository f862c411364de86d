; inherits: ini
