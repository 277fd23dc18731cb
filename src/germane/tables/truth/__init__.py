"""What people were asked to judge, and what they answered."""
