"""The native core. This package is the only one that names the compiled module.

`ROSENBLATT_ISA=baseline|avx2|avx512` in the environment chooses the instruction set; every one gives the same bits.
"""

from rosenblatt.native import _native
from rosenblatt.native.rows import laid as laid
from rosenblatt.native.rows import rows_of as rows_of

Candidates = _native.Candidates
Chunks = _native.Chunks
Columns = _native.Columns
Crossing = _native.Crossing
Hashing = _native.Hashing
Hulls = _native.Hulls
Learner = _native.Learner
Names = _native.Names
Packer = _native.Packer
Pages = _native.Pages
Panel = _native.Panel
Rows = _native.Rows
SinglePanel = _native.SinglePanel
address = _native.address
ascend = _native.ascend
checksum = _native.checksum
coded = _native.coded
dual_scores = _native.dual_scores
dual_visit = _native.dual_visit
dual_votes = _native.dual_votes
hash_columns = _native.hash_columns
hash_of = _native.hash_of
highest = _native.highest
instruction_set = _native.instruction_set
instruction_sets = _native.instruction_sets
joined = _native.joined
judge_clean = _native.judge_clean
learn = _native.learn
majority = _native.majority
mistakes = _native.mistakes
order = _native.order
outside = _native.outside
pages_ahead = _native.pages_ahead
parse_svmlight = _native.parse_svmlight
parse_text = _native.parse_text
parse_vw = _native.parse_vw
ranked = _native.ranked
scores = _native.scores
spread = _native.spread
squares = _native.squares
strongest = _native.strongest
svmlight_ahead = _native.svmlight_ahead
turns = _native.turns
unicode_version = _native.unicode_version
uniform = _native.uniform
unusual = _native.unusual
words_of = _native.words_of
