"""The service over HTTP: routes, messages, tokens, errors."""
