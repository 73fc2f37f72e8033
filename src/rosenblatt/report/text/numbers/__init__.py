"""Text about models that predict a number: results of fit and evaluation, weights, warnings."""
