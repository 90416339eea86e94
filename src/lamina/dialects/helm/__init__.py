"""Helm: the values of a chart and its subcharts."""
