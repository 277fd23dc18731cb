"""The pages: numbers as blocks of data, figures as specs, and the text around them."""
