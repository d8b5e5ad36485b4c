"""Checks of the contract that every solver must satisfy, and the audit of its flops."""
