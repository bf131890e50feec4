"""What people see: terminal views and web pages."""
