"""Mathematics that several solvers share; imports the problem and the ground."""
