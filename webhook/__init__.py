"""The validating admission webhook of raylint. Nothing to run yet: the package holds its name and its place."""
