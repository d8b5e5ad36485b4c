"""Draw and judge figures, write the pages and publish them; can import all layers except `cli`."""
