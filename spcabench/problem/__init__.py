"""A problem and its matrices, the only place that charges flops; imports only the ground."""
