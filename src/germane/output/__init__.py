"""Results as people and programs read them: tables in every format, figures, pages. No arithmetic here."""
