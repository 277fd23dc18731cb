"""Results: named tables of typed columns, which every format is made from."""
