"""Reports: one `Report` of everything that was judged; a format is a module with a pure function of it."""
