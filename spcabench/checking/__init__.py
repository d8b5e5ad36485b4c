"""What every solver must keep, and the audit of its flops; imports what is below, and not
`running`.
"""
