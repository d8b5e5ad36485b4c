"""Problems and the matrix layer, the only part of the package that charges flops."""
