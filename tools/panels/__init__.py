"""Draws the committed dashboards in a real browser with Grafana's published components, against a real Prometheus.

It shows what queries, transformations, units, colours and layout come to. It doesn't show that Grafana takes the JSON,
and it draws no exemplars, annotations or links. Queries to Tempo are left out: it is under the AGPL and not used here.
"""
