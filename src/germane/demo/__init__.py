"""The data of `germane demo` and of the tutorials."""
