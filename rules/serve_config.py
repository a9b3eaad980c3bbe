"""What Ray Serve refuses in ``serveConfigV2`` when it loads it."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Confidence, Problem, Severity
from raylint.target import version_text

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import OddlyServed
    from raylint.ray_release import Fault
    from raylint.rule import Location, Problems

__all__ = [
    "place_of",
    "ray_of",
    "serve_application_list_missing",
    "serve_config_refused",
]

MENTIONS = ("serveConfigV2",)


def ray_of(service: RayService) -> str:
    version = service.ray_version
    return f"Ray {version_text(version)}" if version is not None else "every Ray release that raylint knows"


def place_of(service: RayService, fault: Fault) -> Location:
    document = service.serve_config.document
    assert document is not None
    at = document.at(*fault.path)
    return at.key() if fault.on_key else at


@looks_into("RAY604", Severity.ERROR, "serveConfigV2", reports=("FR-129",))
def serve_config_refused(service: OddlyServed) -> Problems:
    """A value in `serveConfigV2` for which Serve refuses the whole configuration.

    ## What it flags
    What the schema of the Ray release in force refuses: wrong types, numbers out of range, nulls, words that are
    none of a choice (`proxy_location`, `log_level`), import paths that name no attribute, `num_replicas` together
    with `autoscaling_config`, two applications with one name or one prefix, unknown keys where Serve allows none,
    code that is not at an address. The types are those of the release: up to 2.51 a number may stand for text and
    a fraction for a whole number, in 2.60 they may not.

    Of an unknown Ray release it reports what every release refuses.

    ## What happens
    The dashboard answers 400 to KubeRay, or 500 where the schema itself stumbles, and takes nothing: no
    application starts, and of a running service nothing changes, however correct the rest is. KubeRay sends the
    same text again and again; the RayService never becomes ready, and only the operator's log has the reason.

    The words of Ray: `Got invalid import path`, `Manually setting num_replicas is not allowed when
    autoscaling_config is provided`, `Found multiple configs for application`, `Found duplicate applications for
    route prefix`, `runtime_envs in the Serve config support only remote URIs in working_dir and py_modules`,
    `log_level must be one of`, `Input should be a valid integer`, `value is not a valid integer`, `field
    required`.

    ## Versions
    All Ray releases; where they differ the message holds for the one in force.

    ## Fix
    As the message says.

    ## When to ignore it
    Never; nothing is deployed.

    ## Source
    Ray 2.60.0, `python/ray/serve/schema.py`; checked with 2.9.3, 2.40.0, 2.51.1 and 2.60.0.

    ## Examples
    ```yaml bad serve
    proxy_location: headonly  # <-
    logging_config: {log_level: debug}  # <-
    applications:
    - name: rank
      import_path: rank  # <-
      deployments:
      - name: Ranker
        num_replicas: 0  # <-
        ray_actor_options: {num_cpus: 500m}  # <-
    ```

    ```yaml bad serve
    applications:
    - name: rank
      import_path: rank:app
      port: 8001  # <-
      runtime_env:
        working_dir: ./code  # <-
      deployments:
      - name: Ranker
        num_replicas: 2  # <-
        autoscaling_config: {max_replicas: 4}
    - name: rank  # <-
      import_path: other:app
      route_prefix: /other
    ```

    From Ray 2.60 on text must be text:

    ```yaml bad serve
    applications:
    - name: 12  # <-
      import_path: rank:app
      deployments: [{name: Ranker, num_replicas: "2"}]  # <-
    ```

    ```yaml good serve
    proxy_location: HeadOnly
    logging_config: {log_level: DEBUG}
    applications:
    - name: rank
      import_path: rank:app
      runtime_env: {working_dir: "https://files.example.com/code.zip"}
      deployments: [{name: Ranker, num_replicas: auto, ray_actor_options: {num_cpus: "1"}}]
    ```

    ```yaml good near-miss ray=2.51 serve
    applications:
    - name: 12
      import_path: rank:app
      deployments: [{name: Ranker, num_replicas: "2"}]
    ```
    """
    for fault in service.serve_faults:
        if fault.kind in ("refused", "environment"):
            yield Problem(
                place_of(service, fault),
                f"{fault.message}: Serve refuses the whole configuration",
                effect=f"the dashboard answers 400 and takes nothing at all: no application starts or changes, and"
                f" KubeRay sends the same again and again ({ray_of(service)})",
                fix=fault.fix,
            )


@looks_into("RAY605", Severity.ERROR, "serveConfigV2")
def serve_application_list_missing(service: OddlyServed) -> Problems:
    """`serveConfigV2` without a list of applications: there is nothing that Serve could deploy.

    ## What it flags
    A text without the key `applications`: an empty one, one application written at the top as Serve's first
    configuration format had it, a text that is wrapped in another key, a misspelt key. Also `applications: []`, as
    a warning.

    ## What happens
    Without the key Serve answers 400, KubeRay sends the text again and again, and the RayService never becomes
    ready. An empty list is accepted and deletes every application that runs.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Write `applications:` and below it a list; the former top level becomes its first item.

    ## When to ignore it
    An empty list may be meant: a cluster whose applications come later.

    ## Source
    Ray 2.60.0, `python/ray/serve/schema.py` (`ServeDeploySchema`); ray-project/kuberay v1.7.0,
    `rayservice_controller.go`.

    ## Examples
    ```yaml bad serve
    import_path: rank:app  # <-
    deployments: [{name: Ranker}]
    ```

    ```yaml bad serve
    aplications:  # <-
    - import_path: rank:app
    ```

    ```yaml bad service
    serveConfigV2: ""  # <-
    ```

    ```yaml bad severity=warning serve
    applications: []  # <-
    ```

    ```yaml good serve
    applications:
    - import_path: rank:app
    ```

    ```yaml good near-miss serve
    # The list may be of one application, and JSON is YAML as well.
    {"applications": [{"import_path": "rank:app"}]}
    ```
    """
    document = service.serve_config.document
    for fault in service.serve_faults if document is not None else ():
        if fault.kind == "missing":
            yield _missing(service)
    data = service.serve_config.data
    if document is not None and data is not None and data.get("applications") == []:
        yield Problem(
            document.at("applications"),
            "the list of applications is empty: Serve deletes every application that runs",
            effect="Serve takes the list for the goal; a running service is gone at once, and nothing answers",
            fix="list the applications",
            severity=Severity.WARNING,
            confidence=Confidence.MEDIUM,
        )


def _missing(service: RayService) -> Problem:
    document = service.serve_config.document
    assert document is not None
    data = service.serve_config.data or {}
    shown = next(iter(data), "")
    what = "serveConfigV2 has no list of applications" if data else "serveConfigV2 is empty"
    fix = "write applications: and a list of them"
    for name, value in data.items():
        if name in ("import_path", "deployments", "importPath"):
            shown, what = name, "serveConfigV2 describes one application at its top level"
            fix = "write applications: and make all this its first item"
            break
        if isinstance(value, dict) and "applications" in value:
            shown, fix = name, f"remove the line {name}: and the indentation below it"
        elif isinstance(value, list) and _is_like(name):
            shown, fix = name, f"write applications instead of {name}"
    at = document.missing(("applications",), (shown,) if shown else ())
    return Problem(
        at,
        f"{what}: Serve refuses it",
        effect="the dashboard answers 400, KubeRay sends the same again and again, and the RayService never"
        f" becomes ready ({ray_of(service)})",
        fix=fix,
    )


def _is_like(name: str) -> bool:
    from raylint.schema_hints import distance

    return distance(name.lower(), "applications", 3) <= 3
