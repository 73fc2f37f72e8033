"""scikit-learn classes, one for each file; what they share is in `common`, how they are saved in `model_files`."""

from rosenblatt.extras import require

require("sklearn")
