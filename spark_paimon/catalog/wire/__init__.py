"""Forms of the REST catalog protocol, shared by client and server: each value to JSON and back."""
