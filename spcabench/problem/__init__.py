"""A problem (data or a covariance) and its matrices, the only place that charges flops; imports the
ground only.
"""
