"""The entrypoint of a RayJob, which the operator pastes into a shell line of the submitter."""

from __future__ import annotations

from raylint.manifest import RayJob
from raylint.rule import Confidence, Problem, Severity, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.narrow import OddJob
    from raylint.rule import Location, Problems, Repair
    from raylint.shell_words import Mark

__all__ = ["entrypoint_cut_by_shell", "entrypoint_expanded_by_submitter", "entrypoint_not_paired"]

MENTIONS = ("entrypoint",)

# Variables that mean the same in the submitter, or are the submitter's own.
_SAME = frozenset({"RAY_DASHBOARD_ADDRESS", "RAY_JOB_SUBMISSION_ID", "PYTHONUNBUFFERED", "HOME", "PATH", "SHELL"})


def _marks(job: RayJob) -> Iterator[Mark]:
    """What a shell sees in the entrypoint; white space at its ends does not count."""
    from raylint.shell_words import marks

    text = _text(job)
    return marks(text.rstrip())


def _text(job: RayJob) -> str:
    value = job.job_spec.data.get("entrypoint")
    return value if isinstance(value, str) and "{{" not in value else ""


def _at(job: RayJob, mark: Mark) -> Location:
    from raylint.scalar_text import TextLocation

    where = job.job_spec.at_key("entrypoint")
    return TextLocation(where.document, where.path, _text(job), mark.start, mark.end)


def _is_pasted(job: RayJob) -> bool:
    from raylint.runtime_environments import passes_a_shell

    return passes_a_shell(job)


@looks_into("RAY510", Severity.ERROR, "entrypoint", reports=("FR-084",))
def entrypoint_not_paired(job: OddJob) -> Problems:
    """Quotes or brackets in a RayJob's `entrypoint` that do not pair: no shell can read it.

    ## What it flags
    An `entrypoint` with a single or double quote, a backtick, `$(`, `${` or `(` that is never closed, or a `)`
    that nothing opens, outside quotes. A backslash takes the next character's meaning away, but not within single
    quotes: `'don\\'t'` is one quote too many.

    It stays silent in InteractiveMode, and where the submitter has a command of its own.

    ## What happens
    The submitter's shell, in HTTPMode the one on the head, answers `unexpected EOF while looking for matching` or
    `syntax error near unexpected token`. Nothing is submitted; the submitter is tried again and the RayJob fails,
    or waits.

    ## Versions
    All KubeRay releases.

    ## Fix
    Close the quote. For code with many quotes of its own put a script into the image or a ConfigMap.

    ## When to ignore it
    Never; the job cannot start.

    ## Source
    ray-project/kuberay v1.7.0, `common/job.go`; ray-project/kuberay#2943, #2959, #4359.

    ## Examples
    ```yaml bad job
    entrypoint: python -c "print('hello')  # <-
    ```

    ```yaml bad job
    entrypoint: |
      bash -c 'echo don\\'t'  # <-
    ```

    ```yaml good job
    entrypoint: python -c "print('hello')"
    ```

    A quote within the other kind of quotes is a letter:

    ```yaml good near-miss job
    entrypoint: |
      python -c "
      print('it')  # isn't closed, and need not be
      "
    ```
    """
    from raylint.shell_words import UNPAIRED

    for mark in _marks(job):
        if mark.kind == UNPAIRED and (job.submission_mode.value == "HTTPMode" or _is_pasted(job)):
            yield Problem(
                _at(job, mark),
                f"the entrypoint's {mark.text} has no partner: no shell can read the line",
                effect="the shell answers with a syntax error, nothing is submitted, and the RayJob fails",
                fix="close it, or put a backslash before it if it is meant as a character",
            )


@looks_into("RAY511", Severity.WARNING, "entrypoint", kuberay="1.3..", reports=("FR-082",), fixes="unsafe")
def entrypoint_cut_by_shell(job: OddJob) -> Problems:
    """An operator in a RayJob's `entrypoint` ends the submission: what follows runs in the submitter.

    ## What it flags
    `;`, `&&`, `||`, `&`, a pipe, a redirection, a line break or a comment outside quotes in the `entrypoint` of a
    RayJob in K8sJobMode or SidecarMode. The first one is reported.

    It stays silent in HTTPMode, where the shell of the job itself reads the line, in InteractiveMode, and where
    the submitter has a command of its own. A backslash at the end of a line continues it.

    ## What happens
    KubeRay writes `ray job submit ... -- ENTRYPOINT` as it is into a line for bash. `cd /app && python train.py`
    submits `cd /app`, and then runs `python train.py` in the submitter's pod: without the cluster's resources,
    with `can't open file`, or, worse, quietly on one small pod. A redirection takes the submission's output away,
    and the log that people look for is empty.

    ## Versions
    KubeRay 1.3 and later.

    ## Fix
    Wrap the whole in `bash -c '...'`, or put it into a script.

    ## When to ignore it
    When the second command is meant for the submitter.

    ## Source
    ray-project/kuberay v1.7.0, `common/job.go`; ray-project/kuberay#3561, #3802, #3929, #4052.

    ## Examples
    ```yaml bad job
    entrypoint: cd /app && python train.py  # <-
    ```

    ```yaml bad job
    entrypoint: "pip install -r requirements.txt\\npython train.py"  # <-
    ```

    ```yaml bad job
    submissionMode: SidecarMode
    entrypoint: python train.py > /tmp/train.log 2>&1  # <-
    ```

    ```yaml good job
    entrypoint: bash -c 'cd /app && python train.py'
    ```

    Quotes and a backslash keep the line together, and over HTTP there is no submitter:

    ```yaml good near-miss job
    entrypoint: |
      python train.py --note "a; b | c" \\
        --epochs 3
    ```

    ```yaml good near-miss job
    submissionMode: HTTPMode
    entrypoint: cd /app && python train.py
    ```
    """
    from raylint.shell_words import COMMENT, OPERATOR

    for mark in _marks(job):
        if mark.kind in (OPERATOR, COMMENT):
            if not _is_pasted(job):
                return
            shown = "line break" if mark.text == "\n" else "#" if mark.kind == COMMENT else mark.text
            yield Problem(
                _at(job, mark),
                f"the submitter's shell takes the {shown} in the entrypoint for its own: {_consequence(mark)}",
                label="not quoted",
                effect="the job runs without what stands behind it, which runs in the submitter's pod: file not"
                " found, or work outside the cluster",
                fix="wrap the whole in bash -c '...', or put it into a script",
                repair=_wrapped(job),
            )
            return


def _wrapped(job: RayJob) -> Repair:
    """The entrypoint in a shell of its own, on the head."""
    text = _text(job).strip().replace("'", """'"'"'""")
    return unsafe(job.job_spec.at_key("entrypoint").set(f"bash -c '{text}'"))


def _consequence(mark: Mark) -> str:
    if mark.kind == "comment":
        return "the rest of the operator's line is a comment, and the submission breaks off"
    if mark.text in ("<", "<<"):
        return "the submission reads this input, not the job"
    if mark.text in (">", ">>", "&>"):
        return "the output of the submission is redirected, not that of the job"
    if mark.text == "|":
        return "what follows reads the submission's output in the submitter"
    if mark.text in "()":
        return "it is a syntax error there"
    return "only what stands before it is submitted"


@looks_into(
    "RAY512",
    Severity.WARNING,
    "entrypoint",
    confidence=Confidence.MEDIUM,
    kuberay="1.3..",
    reports=("FR-083",),
    fixes="unsafe",
)
def entrypoint_expanded_by_submitter(job: OddJob) -> Problems:
    """A `$NAME`, `$(command)` or backtick in a RayJob's `entrypoint` is expanded before the job is submitted.

    ## What it flags
    Expansions outside single quotes in the `entrypoint` of a RayJob in K8sJobMode or SidecarMode.

    It stays silent about variables that are the same there (`HOME`, `PATH`) or the submitter's own
    (`RAY_DASHBOARD_ADDRESS`, `RAY_JOB_SUBMISSION_ID`), and those that `submitterPodTemplate` sets; also in
    HTTPMode and InteractiveMode, and where the submitter has a command of its own.

    ## What happens
    The submitter's shell puts its own values in. Variables that only the head's container has become nothing;
    commands run in the submitter. The job gets other arguments than the ones in the file.

    ## Versions
    KubeRay 1.3 and later.

    ## Fix
    Put the entrypoint into single quotes of a shell of its own: `bash -c 'python train.py --data $DATA'` expands
    on the head.

    ## When to ignore it
    When the submitter's own value is meant.

    ## Source
    ray-project/kuberay v1.7.0, `common/job.go`; ray-project/kuberay#3764.

    ## Examples
    ```yaml bad job
    entrypoint: python train.py --data $DATA_DIR  # <-
    ```

    ```yaml bad job
    entrypoint: |
      python train.py --run "run-$(date +%s)" --host `hostname`  # <-
    ```

    ```yaml good job
    entrypoint: bash -c 'python train.py --data $DATA_DIR'
    ```

    ```yaml good near-miss job
    entrypoint: python train.py --id $RAY_JOB_SUBMISSION_ID --price 5\\$ --mode $MODE
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers:
        - name: submit
          image: rayproject/ray:2.60.0
          env: [{name: MODE, value: fast}]
    ```
    """
    from raylint.shell_words import EXPANSION

    expansions = [mark for mark in _marks(job) if mark.kind == EXPANSION and mark.name not in _SAME]
    if not expansions or not _is_pasted(job):
        return
    own = _of_submitter(job)
    for mark in expansions:
        if mark.name not in own:
            yield Problem(
                _at(job, mark),
                f"the submitter's shell expands {mark.text} before the job gets to see it",
                label="not in single quotes",
                effect="the job gets the submitter's value, often nothing, or what a command gives there",
                fix="write bash -c '...' around the entrypoint, so that the head expands it",
                repair=_wrapped(job),
            )
            return


def _of_submitter(job: RayJob) -> set[str]:
    """Variables that the submitter's template sets."""
    from raylint.pod import Container

    template = job.job_spec.part("submitterPodTemplate").part("spec")
    return {
        entry.name
        for path, item in template.parts("containers")
        for entry in Container(template.document, path, item).env_vars
    }
