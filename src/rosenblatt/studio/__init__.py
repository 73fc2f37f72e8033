"""The studio: a local page that shows a separator learn, step by step, and its small server."""

from rosenblatt.extras import require

require("studio")
