"""The MCP door: eight tools, over stdio and over HTTP."""
