"""How a separator, or a proof that there is none, is found; `verify` checks it and trusts nothing here."""

from rosenblatt.extras import require

require("certify")
