"""What the estimators share: base classes, checks of what users pass, early stopping, raw rows."""
