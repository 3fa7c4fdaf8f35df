"""Registers the format `runvet`: PySpark imports each `pyspark_*` package that is installed."""

from runvet.spark import RunvetDataSource as DefaultSource

__all__ = ["DefaultSource"]
