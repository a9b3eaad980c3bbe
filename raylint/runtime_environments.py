"""The runtime environments that an object holds: a job's own, and those of Serve's applications and deployments.

Facts: ray-project/kuberay v1.7.0 ``common/job.go`` (K8sJobMode and SidecarMode run ``ray job submit``, HTTPMode
posts the job itself, InteractiveMode leaves it to a person; a submitter with a command of its own is left alone).
"""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.ray_release import agreed
from raylint.serve import mappings_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.embedded_document import EmbeddedDocument
    from raylint.finding import Path
    from raylint.manifest import RayJob, RayObject
    from raylint.ray_release import Fault, RayRelease
    from raylint.rule import Location
    from raylint.runtime_env import Way
    from raylint.serve import ServeConfig

__all__ = ["Environment", "environments", "passes_a_shell", "way_of"]


class Environment:
    """One runtime environment. ``path`` leads to it inside ``document``; ``job`` is the job that it belongs to,
    None where it is Serve's."""

    __slots__ = ("data", "document", "faults", "job", "path")

    def __init__(
        self,
        document: EmbeddedDocument,
        path: Path,
        data: dict[str, object],
        faults: list[Fault],
        job: RayJob | None = None,
    ) -> None:
        self.document = document
        self.path = path
        self.data = data
        self.faults = faults
        self.job = job

    def at(self, *steps: str | int) -> Location:
        return self.document.at(*self.path, *steps)

    @property
    def is_plain(self) -> bool:
        """Is it nothing but an address of code with which Ray is content?"""
        uri = self.data.get("working_dir")
        return not self.faults and len(self.data) == 1 and isinstance(uri, str) and "://" in uri and "$" not in uri

    def packages(self, key: str) -> Iterator[tuple[Path, str]]:
        """The texts that ``pip`` or ``uv`` lists, with their places in the environment."""
        value = self.data.get(key)
        steps: Path = (key,)
        if isinstance(value, dict):
            value, steps = value.get("packages"), (key, "packages")
        for index, item in enumerate(value if isinstance(value, list) else ()):
            if isinstance(item, str):
                yield (*steps, index), item


def passes_a_shell(job: RayJob) -> bool:
    """Does the operator write a shell line for this job: entrypoint and environment, for ``ray job submit``?"""
    mode = job.submission_mode.value
    if mode == "SidecarMode":
        return job.target.kuberay_at_least(1, 5)
    if mode != "K8sJobMode":
        return False
    for _, container in job.job_spec.part("submitterPodTemplate").part("spec").parts("containers"):
        return not (isinstance(container, dict) and container.get("command"))
    return True


def way_of(job: RayJob) -> Way | None:
    """How the job's environment reaches Ray; None where the operator does not send it."""
    from raylint.runtime_env import Way

    head = job.cluster.head.ray_container if job.cluster is not None and job.cluster.is_built else None
    plain_head = head is not None and head.holds_only_its_image
    if passes_a_shell(job):
        own_template = job.job_spec.has("submitterPodTemplate")
        is_official = head is not None and head.image is not None and head.image.is_ray
        in_head = job.submission_mode.value == "SidecarMode"
        return Way("submit", only_image=plain_head if in_head else is_official and not own_template)
    return Way("http", only_image=plain_head) if job.submission_mode.value == "HTTPMode" else None


def environments(found: RayObject) -> Iterator[Environment]:
    """The environments of the object that Ray gets to see."""
    if found.job is not None:
        yield from _of_job(found.job)
    elif isinstance(found, RayService):
        yield from _of_service(found)


def _of_job(job: RayJob) -> Iterator[Environment]:
    document, data = job.runtime_env_document, job.runtime_env
    way = way_of(job) if document is not None and data is not None else None
    if document is None or data is None or way is None:
        return
    from raylint.runtime_env import environment_faults  # large, and few jobs have an environment

    def judge(release: RayRelease) -> list[Fault]:
        return environment_faults(data, (), release, way)

    yield Environment(document, (), data, agreed(job.ray_version, data, judge), job)


def _of_service(service: RayService) -> Iterator[Environment]:
    config = service.serve_config
    if config.document is None:
        return
    for path, data in _in_config(config):
        faults = [fault for fault in service.serve_faults if fault.path[: len(path)] == path]
        yield Environment(config.document, path, data, faults)


def _in_config(config: ServeConfig) -> list[tuple[Path, dict[str, object]]]:
    found: list[tuple[Path, dict[str, object]]] = []
    for path, application in config.applications:
        env = application.get("runtime_env")
        if isinstance(env, dict):
            found.append(((*path, "runtime_env"), env))
        for place, deployment in mappings_in(application, path, "deployments"):
            options = deployment.get("ray_actor_options")
            env = options.get("runtime_env") if isinstance(options, dict) else None
            if isinstance(env, dict):
                found.append(((*place, "ray_actor_options", "runtime_env"), env))
    return found
