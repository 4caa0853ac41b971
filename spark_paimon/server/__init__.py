"""The REST catalog server over an embedded catalog."""
