"""Results: named tables of typed columns, the source of every output format."""
