"""Estimators <-> model files."""
