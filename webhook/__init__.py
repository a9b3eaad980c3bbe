"""The validating admission webhook of raylint: HTTP, TLS and the life of the process.

What is judged, and how, is :mod:`raylint.admission`; nothing here knows a rule. It needs the extra
``raylint[webhook]``.
"""
