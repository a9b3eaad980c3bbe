"""Secrets that their form gives away, whatever name they stand under: in a query, in a connection string, behind
the option of a well-known command, between the lines of a private key, or as a token of a well-known make."""

from __future__ import annotations

import re
from functools import lru_cache

from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FORMS", "secret_forms"]

# In small letters: each with the form that it may belong to. The last group of a form is what is secret.
FORMS: dict[str, re.Pattern[str]] = {}


def _form(hints: tuple[str, ...], expression: str, flags: int = re.IGNORECASE) -> None:
    form = pattern(expression, flags)
    FORMS.update((hint, form) for hint in hints)


# https://host/x.zip?sv=2024&sig=...
_form(
    ("sig", "token", "key", "secret", "credential", "password", "passwd", "x-amz-"),
    r"[?&](?:[\w.-]{0,40}(?:sig|signature|token|key|secret|credential|password|passwd)|x-amz-[\w-]{1,40})="
    r"([^&\s\"'`,;)}\]#]+)",
)
# DefaultEndpointsProtocol=https;AccountName=a;AccountKey=...
_form(("accountkey=", "sharedaccess"), r"(?:accountkey|sharedaccess(?:key|signature))=([^;\s\"'`,}]+)")
_form(("redis-cli",), r"\bredis-cli\b[^|&;\n]{0,200}?[\s,\"']-a[\s,\"']+([^\s\"',\]]+)")
_form(("curl",), r"\bcurl\b[^|&;\n]{0,200}?[\s,\"'](?:-u|--user)[\s,\"']*([^\s\"',\]]+)")
_form(("mysql",), r"\bmysql(?:dump|admin)?\b[^|&;\n]{0,200}?[\s,\"']-p([^\s\"',\]]+)")
_form(("wandb login",), r"\bwandb login\s+(?:--?[\w-]+\s+){0,4}([^\s\"',;&|\]-][^\s\"',;&|\]]*)")
_form(("password-stdin",), r"\becho\s+(?:-\w+\s+){0,2}[\"']?([^\s\"'|]+)[\"']?\s*\|[^\n]{0,100}--password-stdin")
_form(
    ("private key-----",),
    r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(.*?)(?:-----END|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_form(("authorization",), r"authorization\W{1,6}basic[ \t]+([^\s\"'`,}]+)")
_form(("hooks.slack.com",), r"hooks\.slack\.com/services/([^\s\"'`,}]+)")
_form(
    ("ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "hf_", "eyj"),
    r"\b((?:gh[opsru]_|github_pat_|glpat-|xox[abp]-)\w[\w-]{5,}|hf_[A-Za-z0-9]{16,}|eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*)",
    0,
)
# Keys of model providers, registries, payment and mail services, of PyPI, npm, DigitalOcean, Databricks, Google.
_form(
    (
        "sk-",
        "sk_live_",
        "rk_live_",
        "sk_test_",
        "pypi-",
        "npm_",
        "dop_v1_",
        "dapi",
        "aiza",
        "gsk_",
        "nvapi-",
        "sg.",
        "xapp-",
    ),
    r"\b((?:sk-(?:(?:proj|svcacct|admin|ant|or|lf)-)?|nvapi-)(?=[\w-]{0,200}\d)[\w-]{20,}"
    r"|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|pypi-[\w-]{50,}|npm_[A-Za-z0-9]{30,}|dop_v1_[0-9a-f]{40,}"
    r"|dapi[0-9a-f]{32}|AIza[\w-]{35}|gsk_[A-Za-z0-9]{30,}|SG\.[\w-]{16,}\.[\w-]{30,}|xapp-\d-[\w-]{20,})",
    0,
)
# {"token": "...", "clientSecret": "..."} inside a text, with or without the escapes of the text around it.
_form(
    ('token"', 'secret"', 'password"', 'token\\"', 'secret\\"', 'password\\"'),
    r"[\w-]{0,40}(?:token|secret|password)\\*\"\s*:\s*\\*\"((?:[^\"\\]|\\[^\"])+)",
)


def secret_forms(text: str) -> Sequence[tuple[int, int]]:
    """Where such secrets stand in a text."""
    return _known(text) if len(text) <= _LONGEST_KNOWN else _found(text)


def _found(text: str) -> Sequence[tuple[int, int]]:
    small = text.lower()
    hinted = [hint for hint in FORMS if hint in small]
    # Of several hints at one form one is enough. A reference to a variable tells nothing.
    return tuple(
        match.span(1)
        for form in ({id(FORMS[hint]): FORMS[hint] for hint in hinted}.values() if hinted else ())
        for match in form.finditer(text)
        if not match[1].startswith("$")
    )


# Names, amounts and images come up again in each manifest of a run.
_LONGEST_KNOWN = 80
_known = lru_cache(maxsize=2048)(_found)
