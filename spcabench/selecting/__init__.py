"""How many variables a component should have: criteria and their recommendations."""
