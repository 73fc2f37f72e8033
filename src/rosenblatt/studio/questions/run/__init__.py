"""The run on the screen: how it went, where its boundary is, what is proven about its points."""
