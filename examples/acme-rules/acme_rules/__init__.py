"""The rules of Acme's platform team. Their ids begin with ACME, which no rule of raylint does."""

from acme_rules import images, ownership
from raylint.rule import pack

RULES = pack(images, ownership)
