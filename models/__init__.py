"""The domain: contracts and pure calculations, no input or output."""
