"""Draw and judge figures, write the pages, and publish them; imports everything but `cli`."""
