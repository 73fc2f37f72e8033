"""From the labels of a source to classes, sets of labels, and the weights of classes."""
