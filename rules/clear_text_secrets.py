"""Secrets that stand in a manifest for everybody to read. No message ever repeats one.

Passwords of Redis have a rule of their own (RAY114).
"""

from __future__ import annotations

from functools import lru_cache

from raylint.field import View
from raylint.kube_names import is_dns1123
from raylint.manifest import RayObject, RayService
from raylint.patterns import pattern
from raylint.rule import Problem, Severity
from raylint.secret_names import NO_SECRET, may_hold_secrets

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from raylint.cluster import RayCluster
    from raylint.embedded_document import EmbeddedDocument
    from raylint.rule import Location, Problems

    # What makes a place of steps, the steps to where it is written, what it is called, its value.
    Named: TypeAlias = tuple[Callable[..., Location], tuple[str | int, ...], str, str]

__all__ = ["secret_in_clear_text"]

# One of them stands in every name of a secret, the last in every URL with a password.
MENTIONS: tuple[str, ...] = (
    "assw",
    "ASSW",
    "assphrase",
    "ASSPHRASE",
    "ecret",
    "ECRET",
    "oken",
    "OKEN",
    "redential",
    "REDENTIAL",
)
MENTIONS += ("KEY", "-key", "_key", "-Key", "_Key", "apikey", "accesskey", "privatekey", "authkey", "signingkey")
# apiKey, accessKey, privateKey, signingKey, authKey; a configMapKeyRef is in many a manifest.
MENTIONS += ("encryptionkey", "iKey", "IKey", "sKey", "SKey", "eKey", "EKey", "gKey", "GKey", "nKey", "NKey")
MENTIONS += ("hKey", "HKey", "@")
# The last word of the name tells: a TOKEN_FILE is a place, MAX_TOKENS a number, a TOKENIZER a program.
_SECRET_END = pattern(
    r"(?i)(?:passw(?:or)?d|passphrase|secret|(?<![a-z])token|(?<=[a-z])(?-i:Token)|credentials?|api[-_]?key"
    r"|(?:access|private|secret|signing|encryption|auth)[-_]?key)\Z"
)
_URL = pattern(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@]*:(?P<password>[^\s/@]+)@")
# Somebody is still to fill it in, or another program does.
_PLACE_HOLDER = pattern(
    r"(?i)<.*>|\{.*\}|\[.*\]|(?:change|replace|insert|fill)[-_ ]?.*|your[-_ ].*|x{3,}|\*+|\.\.\.|todo|none|null"
    r"|dummy|example|place-?holder|redacted|disabled?|enabled?"
)
_SHORTEST = 6
_OF_REDIS = ("REDIS_PASSWORD", "redis-password")
_MOUNT_OR_NUMBER = pattern(r"[/~.]\S*|[0-9.]+\Z")


@outlined("RAY813", Severity.WARNING)
def secret_in_clear_text(found: RayObject) -> Problems:
    """A password, token or key stands in the manifest in clear text.

    A literal value under a name that tells of a secret (`password`, `token`, `secret`, `api_key`, `access_key`,
    `credential` and the like), or a password inside a URL: in the environment of any container, of the submitter
    or of the autoscaler, among `command` and `args` (`--token=...`), in the `entrypoint` and the `metadata` of a
    job, among the annotations, in the `args` of Serve applications, and in `env_vars` of `runtimeEnvYAML` and
    `serveConfigV2`; a URL also in `working_dir`, `py_modules` and `pip` there. The value itself is never shown.

    It stays silent on references (`valueFrom`, `$(NAME)`, `$NAME`), on paths, numbers and place holders, on names
    that only tell about a secret (`TOKEN_FILE`, `SECRET_NAME`), and on the password of Redis, which RAY114 tells.

    Then: Whoever reads the repository, the object (`kubectl get -o yaml`), the pods, the job's metadata on the
    dashboard, or a log of the command line has the secret. It stays in the history after it was removed.

    Fix: Put the value into a Secret and refer to it by `valueFrom.secretKeyRef` or `envFrom.secretRef`; change
    the secret, it counts as known. For `env_vars` of a runtime environment set the variable on the pods.
    Ignore: Where the value opens nothing, as in a test with throw-away services.
    Source: Kubernetes "Good practices for Secrets"; Ray "Security".

    bad RayCluster
      head.ray: env:
      head.ray: - name: WANDB_API_KEY
      head.ray:   value: 0a1b2c3d4e5f60718293  # <-
    bad RayJob
      job: runtimeEnvYAML: |
      job:   env_vars:
      job:     HF_TOKEN: swordfish-and-chips  # <-
    bad RayService
      meta: annotations: {example.com/webhook-token: open-sesame-now}  # <-
      group.ray: args: ["--db=postgres://app:hunter2hunter2@db/ray"]  # <-
    bad RayJob
      job: entrypoint: python train.py --password=swordfish-and-chips  # <-
      job: metadata: {db_password: hunter2hunter2}  # <-
      job: runtimeEnvYAML: |
      job:   working_dir: https://ci:hunter2hunter2@git.example/app.zip  # <-
      job:   pip: ["--extra-index-url https://ci:hunter2hunter2@pypi.example/simple"]  # <-
    bad RayService
      spec: serveConfigV2: |
      spec:   applications:
      spec:   - name: app
      spec:     import_path: app:graph
      spec:     args: {db_password: hunter2hunter2}  # <-
    good RayJob
      job: entrypoint: python train.py --token-file /run/token --password "$DB_PASSWORD"
    good RayCluster
      head.ray: env:
      head.ray: - name: WANDB_API_KEY
      head.ray:   valueFrom: {secretKeyRef: {name: wandb, key: token}}
    good RayCluster
      head.ray: args: ["--db=postgres://$(DB_USER):$(DB_PASSWORD)@db/ray"]
    near-miss RayCluster -- Names and places of secrets are none:
      head.ray: env:
      head.ray: - {name: TOKEN_FILE, value: /var/run/token}
      head.ray: - {name: IMAGE_PULL_SECRET, value: registry-login}
      head.ray: - {name: MAX_TOKENS, value: "4096000"}
      head.ray: - {name: API_KEY, value: "<your key>"}
      head.ray: - {name: TOKENIZER, value: mistral-large}
    """
    if not may_hold_secrets(found.document.raw, found.document.raw_lines):
        return
    for at, steps, name, value in _named_values(found):
        if _tells_secret(name) and _is_literal(value) and not _is_name(name, value):
            what = f"a secret stands in clear text under {name!r}; whoever reads the manifest has it"
            yield _problem(at(*steps), what)
        elif "://" in value and "@" in value and _has_password(value):
            yield _problem(at(*steps), f"a URL holds its password in clear text under {name!r}")


def _problem(at: Location, message: str) -> Problem:
    return Problem(
        at,
        message,
        effect="the secret is in the repository, in the object and in its pods, for everybody who may read them",
        fix="put it into a Secret, refer to it by valueFrom.secretKeyRef, and change the secret",
    )


@lru_cache(maxsize=1024)
def _tells_secret(name: str) -> bool:
    """``DB_PASSWORD``, ``HF_TOKEN``, ``apiKey``: the name ends in a word for a secret."""
    return name not in _OF_REDIS and _SECRET_END.search(name) is not None


def _is_literal(value: str) -> bool:
    text = value.strip().strip("'\"")
    if len(text) < _SHORTEST or "$" in text[:1] or "{{" in text:
        return False
    return not (NO_SECRET.match(text) or _PLACE_HOLDER.fullmatch(text) or _MOUNT_OR_NUMBER.fullmatch(text))


def _is_name(name: str, value: str) -> bool:
    """Under ``...secret`` and ``...credentials`` stands as often the name of a Secret as what is in one."""
    ends = name.lower().endswith(("secret", "credential", "credentials"))
    return ends and is_dns1123(value) and not any(letter.isdigit() for letter in value)


def _has_password(value: str) -> bool:
    match = _URL.search(value)
    return match is not None and match["password"][0] not in "$<{*" and not match["password"].startswith("xxx")


def _named_values(found: RayObject) -> Iterator[Named]:
    cluster = found.cluster
    yield from _texts(found.annotations)
    if cluster is not None and cluster.is_built:
        yield from _of_cluster(cluster)
    job = found.job
    if job is not None:
        if job.job_spec.has("submitterPodTemplate"):
            template = job.job_spec.part("submitterPodTemplate").part("spec")
            for path, item in template.parts("containers"):
                yield from _of_container(View(template.document, path, item))
        yield from _texts(job.job_spec.part("metadata"))
        yield from _of_entrypoint(job.job_spec)
        environment = job.runtime_env_document
        if environment is not None:
            yield from _of_runtime_env(environment, (), environment.data)
    if isinstance(found, RayService) and found.serve_config.document is not None:
        yield from _of_serve_config(found.serve_config.document)


def _of_serve_config(serve: EmbeddedDocument) -> Iterator[Named]:
    applications = serve.data.get("applications") if isinstance(serve.data, dict) else None
    for index, application in enumerate(applications if isinstance(applications, list) else ()):
        if isinstance(application, dict):
            yield from _of_runtime_env(
                serve, ("applications", index, "runtime_env"), application.get("runtime_env")
            )
            arguments = application.get("args")
            for name, value in arguments.items() if isinstance(arguments, dict) else ():
                if isinstance(name, str) and isinstance(value, str):
                    yield serve.at, ("applications", index, "args", name), name, value


def _of_cluster(cluster: RayCluster) -> Iterator[Named]:
    for group in cluster.groups:
        yield from _texts(group.template.annotations)
        for container in (*group.pod.containers, *group.pod.init_containers):
            yield from _of_container(container)
    yield from _of_env(cluster.autoscaler)


def _of_container(container: View) -> Iterator[Named]:
    yield from _of_env(container)
    for words in ("command", "args"):
        if words in container.data:
            yield from _of_words(container, words)


def _of_env(container: View) -> Iterator[Named]:
    entries = container.data.get("env")
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict):
            name, value = entry.get("name"), entry.get("value")
            if isinstance(name, str) and isinstance(value, str):
                yield container.at_key, ("env", index, "value"), name, value


def _of_words(container: View, list_name: str) -> Iterator[Named]:
    words = container.data[list_name]
    for index, name, value in _options(words if isinstance(words, list) else (), list_name):
        yield container.at_key, (list_name, index), name, value


def _of_entrypoint(job: View) -> Iterator[Named]:
    """Words as blanks part them: what a quoted blank parts is none of a secret's name."""
    line = job.data.get("entrypoint")
    if isinstance(line, str):
        words = [word.strip("'\"") for word in line.split()]
        for _, name, value in _options(words, "entrypoint"):
            yield job.at_key, ("entrypoint",), name, value


def _options(words: Iterable[object], around: str) -> Iterator[tuple[int, str, str]]:
    """Options of a command line: ``--token=value``, or ``--token`` and the value as the next word; addresses."""
    before = ""
    for index, word in enumerate(words):
        if isinstance(word, str):
            option, equals, value = word.partition("=")
            if equals and option.startswith("-") and " " not in option:
                yield index, option, value
            elif before.startswith("-") and not _takes_script(before):
                yield index, before, word
            elif "://" in word:
                yield index, f"a word of {around}", word
        before = word if isinstance(word, str) else ""


def _takes_script(option: str) -> bool:
    """``-c``, ``-lc``: what follows is a script, and the option does not name it."""
    return option.endswith("c") and option[1:].isalpha()


def _texts(view: View) -> Iterator[Named]:
    for key, value in view.data.items():
        if isinstance(value, str):
            yield view.at_key, (key,), key, value


def _of_runtime_env(document: EmbeddedDocument, path: tuple[str | int, ...], data: object) -> Iterator[Named]:
    if not isinstance(data, dict):
        return
    variables = data.get("env_vars")
    for name, value in variables.items() if isinstance(variables, dict) else ():
        if isinstance(name, str) and isinstance(value, str):
            yield document.at, (*path, "env_vars", name), name, value
    for field in ("working_dir", "py_modules", "pip"):
        value = data.get(field)
        if isinstance(value, str):
            yield document.at, (*path, field), field, value
        for index, item in enumerate(value if isinstance(value, list) else ()):
            if isinstance(item, str):
                yield document.at, (*path, field, index), field, item
