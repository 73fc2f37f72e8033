"""The service: models that learn while they answer over HTTP, and lose nothing that they have acknowledged."""

from rosenblatt.extras import require

require("serve")
