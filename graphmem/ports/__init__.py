"""Contracts that the services rely on and the adapters fulfil."""
