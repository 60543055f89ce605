"""An independent check that trusts nobody: it counts the published table and the original itself.

verifier      the whole check
published     groups, stars, k and Σ, from one scan of the published table
original      R ⊑ R*, row by row or as multisets
witness       a claim of how it was made, checked in a few sums
matching      can every published record be given an original record of its own? exactly
candidates    which types a group could be made of
verification  the result
"""

from diva.verify.verification import Counted, Verification
from diva.verify.verifier import verify
from diva.verify.witness import Witness

__all__ = ["Counted", "Verification", "Witness", "verify"]
