"""Certificates: how few stars any plan must have."""
