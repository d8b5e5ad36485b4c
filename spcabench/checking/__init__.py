"""The contract of every solver, and the audit of its flops; imports `running` and lower layers."""
