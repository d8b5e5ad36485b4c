"""What people look at: figures drawn and judged, pages, publication; imports all but `cli`."""
