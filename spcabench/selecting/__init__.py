"""How many variables a component should have: criteria, and what they recommend."""
