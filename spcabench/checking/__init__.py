"""What every solver must keep, and the audit of its flops; imports `running` and what is below."""
