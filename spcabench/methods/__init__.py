"""Mathematics shared by several solvers; it imports only the problem and the basic modules."""
