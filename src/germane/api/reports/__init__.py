"""What reports show, worked out."""
