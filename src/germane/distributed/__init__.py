"""The same evaluation where the data already are: on Spark. Rows stay there, only what was found comes back."""
