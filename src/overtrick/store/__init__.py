"""The journal and its marks, on SQLite or PostgreSQL."""
