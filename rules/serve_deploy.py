"""What Ray Serve accepts in ``serveConfigV2`` and then cannot deploy."""

from __future__ import annotations

from raylint.rule import Problem, Severity
from raylint.target import version_text

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import OddlyServed
    from raylint.rule import Problems

__all__ = ["serve_application_fails"]

MENTIONS = ("serveConfigV2",)


@looks_into("RAY606", Severity.ERROR, "serveConfigV2")
def serve_application_fails(service: OddlyServed) -> Problems:
    """A part of `serveConfigV2` that Serve loads without complaint and cannot deploy.

    ## What it flags
    Route prefixes that do not begin with a slash or end with one; autoscaling bounds that contradict each other,
    `min_replicas` above the default maximum of 1 included; placement groups that the replica does not fit into (it
    takes 1 CPU unless `num_cpus` says otherwise), unknown strategies, empty bundles; CPU or GPU among the custom
    resources, amounts that are negative or text; `max_replicas_per_node` outside 1 to 100; runtime environments
    that Ray cannot build: archives without the right ending, pip together with conda, `env_vars` that are not
    text.

    It knows what the file says; where code sets the same option, the file overrides it. Files that pip or conda
    read are another rule's (RAY503).

    ## What happens
    Ray answers 200 and KubeRay is content with it. Then the application goes to `DEPLOY_FAILED`, the RayService
    does not become ready, and a new cluster of an upgrade never takes over. The reason stands in
    `serveDeploymentStatuses` and in the log of the Serve controller.

    The words of Ray: `Invalid route_prefix, must start with a forward slash`, `may not end with a trailing`,
    `max_replicas must be greater than or equal to min_replicas`, `When using placement_group_bundles, the replica
    actor will be placed in the first bundle`, `Invalid placement group strategy`, `Use the 'num_cpus' and
    'num_gpus' keyword instead of 'CPU' and 'GPU' in 'resources' keyword`, `Invalid max_replicas_per_node`.

    ## Versions
    All Ray releases; 2.9 does not check route prefixes.

    ## Fix
    As the message says.

    ## When to ignore it
    Never; the application does not come up.

    ## Source
    Ray 2.60.0, `serve/_private/application_state.py` (`override_deployment_info`), `serve/_private/config.py`,
    `serve/config.py`, `runtime_env/runtime_env.py`; checked with 2.9.3, 2.40.0, 2.51.1 and 2.60.0.

    ## Examples
    ```yaml bad serve
    applications:
    - name: rank
      import_path: rank:app
      route_prefix: rank/  # <-
      runtime_env:
        env_vars:
          WORKERS: 4  # <-
      deployments:
      - name: Ranker
        autoscaling_config:
          min_replicas: 2  # <-
    ```

    The replica needs 1 CPU by default, and its bundle has none:

    ```yaml bad serve
    applications:
    - import_path: rank:app
      runtime_env: {pip: [requests], working_dir: "https://git.example.com/team/rank"}  # <-
      deployments:
      - name: Ranker
        placement_group_bundles:
        - {GPU: 1}  # <-
        ray_actor_options:
          resources: {CPU: 0}  # <-
    ```

    ```yaml good serve
    applications:
    - name: rank
      import_path: rank:app
      route_prefix: /rank
      runtime_env: {env_vars: {WORKERS: "4"}}
      deployments:
      - name: Ranker
        autoscaling_config: {min_replicas: 2, max_replicas: 4}
    ```

    With `num_replicas: auto` the default maximum is 100, and a replica without CPUs fits into any bundle:

    ```yaml good near-miss serve
    applications:
    - import_path: rank:app
      deployments:
      - {name: Ranker, num_replicas: auto, autoscaling_config: {min_replicas: 2}}
      - {name: Mover, placement_group_bundles: [{GPU: 1}], ray_actor_options: {num_cpus: 0}}
    ```
    """
    document = service.serve_config.document
    for fault in service.serve_faults if document is not None else ():
        if fault.kind == "fails" and document is not None:
            at = document.at(*fault.path)
            version = service.ray_version
            release = "all Ray releases" if version is None else f"Ray {version_text(version)}"
            yield Problem(
                at.key() if fault.on_key else at,
                f"{fault.message}: the application cannot be deployed",
                effect="also when Serve takes the text the application goes to DEPLOY_FAILED; the RayService does"
                f" not become ready ({release})",
                fix=fault.fix,
            )
