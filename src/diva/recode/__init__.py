"""The plan becomes a table: applied inside the engine, written whole or not at all."""
