"""Certificates: exact proofs of a schedule's value and of a bound on the optimum.

Integers and Fractions only; imports no solver and no compiled code.
"""

from hadaropt.certificates.build import certify
from hadaropt.certificates.check import Verification, verify
from hadaropt.certificates.format import Certificate, read_certificate, write_certificate

__all__ = [
    "Certificate",
    "Verification",
    "certify",
    "read_certificate",
    "verify",
    "write_certificate",
]
