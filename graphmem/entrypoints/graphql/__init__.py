"""The GraphQL door: `create_app` makes the service, `print_schema` its published schema."""
