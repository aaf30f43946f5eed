"""Running programs: the writer, servers, threads and processes. Nothing else in the package runs a loop."""
