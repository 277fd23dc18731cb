"""Pools of documents to judge, and judgments of assessors."""
