"""Documents to index or to judge, one file for each form in which people have them."""
