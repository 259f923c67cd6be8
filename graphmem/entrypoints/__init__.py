"""The doors: they translate between the outside and the services."""
