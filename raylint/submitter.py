"""Who submits a RayJob's entrypoint: a Kubernetes Job, a container beside the head, the operator, or a user.

Facts: ray-project/kuberay v1.7.0 ``common/job.go`` and ``rayjob_controller.go`` (``createNewK8sJob``,
``configureSubmitterContainer``).
"""

from __future__ import annotations

from raylint.derived import cached_property
from raylint.effective_container import EffectiveContainer, fixed_amounts
from raylint.field import Field, Origin
from raylint.pod import Container
from raylint.ray_environment import add_auth
from raylint.start_command import shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.cluster_options import ClusterOptions
    from raylint.field import View
    from raylint.manifest import RayJob
    from raylint.object_names import ObjectNames

__all__ = ["Submitter"]

CONTAINER = "ray-job-submitter"
_SOURCE = "(common/job.go)"
_CONTROLLER = "rayjob_controller.go"


class Submitter:
    """How a RayJob's entrypoint reaches its cluster. ``names`` are those of the cluster."""

    def __init__(self, job: RayJob, names: ObjectNames, options: ClusterOptions) -> None:
        self._job = job
        self._names = names
        self._options = options
        self._target = job.target

    @property
    def mode(self) -> Field[str]:
        return self._job.submission_mode

    @property
    def in_job(self) -> bool:
        """Does a Kubernetes Job submit? Whatever is no other mode by name is not understood by KubeRay."""
        return self.mode.value == "K8sJobMode"

    @property
    def in_head(self) -> bool:
        return self.mode.value == "SidecarMode" and self._target.kuberay_at_least(1, 5)

    @property
    def name(self) -> Field[str]:
        """The Job is called like the RayJob."""
        name = f"{self._names.owner}-<minutes>" if self._job.kind == "RayCronJob" else self._names.owner
        at = self._job.metadata.at_key("name")
        return Field(name, Origin.KUBERAY, at, f"called like the RayJob ({_CONTROLLER})")

    @property
    def backoff_limit(self) -> Field[int]:
        """Tries of the Job, not of the RayJob: ``submitterConfig.backoffLimit`` since KubeRay 1.2."""
        config = self._job.job_spec.part("submitterConfig")
        if self._target.kuberay_at_least(1, 2) and config.has("backoffLimit"):
            return config.integer("backoffLimit")
        return Field(2, Origin.KUBERAY, config.at_key("backoffLimit"), f"the default ({_CONTROLLER})")

    @property
    def restart_policy(self) -> Field[str]:
        template = self._job.job_spec.part("submitterPodTemplate")
        if template.data:
            return template.part("spec").string("restartPolicy", "Always")
        return Field("Never", Origin.KUBERAY, template.at, f"of the default submitter {_SOURCE}")

    @property
    def labels(self) -> dict[str, Field[str]]:
        """Labels of the submitter's Job."""
        values = {
            "app.kubernetes.io/created-by": "kuberay-operator",
            "ray.io/originated-from-cr-name": self.name.value or "",
            "ray.io/originated-from-crd": "RayJob",
        }
        at = self._job.metadata.at_key("labels")
        return {
            name: Field(value, Origin.KUBERAY, at, f"always ({_CONTROLLER})") for name, value in values.items()
        }

    @cached_property
    def container(self) -> EffectiveContainer:
        """The container that submits: the first of ``submitterPodTemplate``, or KubeRay's own."""
        made = self._template_container if self.in_job else None
        if made is None:
            made = self._default()
        if not made.command:
            made.command = Field(shell(self._target), Origin.KUBERAY, made.at, f"runs the line below {_SOURCE}")
            made.args = Field([self._line], Origin.KUBERAY, made.at, f"the script, shortened {_SOURCE}")
        env = made.env.appended_by(_CONTROLLER)
        env.add("PYTHONUNBUFFERED", "1", "always")
        env.add("RAY_DASHBOARD_ADDRESS", self._dashboard, "always: the dashboard")
        env.add("RAY_JOB_SUBMISSION_ID", self._job_id, "always: the job's id")
        made.env = env
        add_auth(made, self._options)
        return made

    @property
    def _template_container(self) -> EffectiveContainer | None:
        for path, item in self._job.job_spec.part("submitterPodTemplate").part("spec").parts("containers"):
            return EffectiveContainer(Container(self._job.document, path, item))
        return None

    def _default(self) -> EffectiveContainer:
        spec: View = self._job.job_spec
        made = EffectiveContainer(Container(spec.document, spec.path, None), f"submits the entrypoint {_SOURCE}")
        made.name = made.kuberay(CONTAINER, made.added)
        if self._job.cluster is not None:
            image = self._job.cluster.head.ray_container.string("image")
            made.image = Field(image.value, Origin.KUBERAY, image.at, f"that of the head {_SOURCE}")
        else:
            made.image = Field(None, Origin.UNKNOWN, made.at, f"that of the head of the chosen cluster {_SOURCE}")
        made.resources = fixed_amounts(("1", "1Gi"), ("500m", "200Mi"), made.at)
        return made

    @property
    def _line(self) -> str:
        entrypoint = (self._job.job_spec.string("entrypoint").value or "").strip()
        return f"ray job submit ... -- {entrypoint}"

    @property
    def _dashboard(self) -> str:
        return self._names.assigned.dashboard or f"{self._names.head_host}:{self._dashboard_port}"

    @property
    def _dashboard_port(self) -> object:
        """The head container's port named ``dashboard``, else 8265."""
        if self._job.cluster is not None:
            for _, item in self._job.cluster.head.ray_container.parts("ports"):
                if isinstance(item, dict) and item.get("name") == "dashboard":
                    return item.get("containerPort")
        return 8265

    @property
    def _job_id(self) -> str:
        own = self._job.job_spec.string("jobId").value
        return self._names.assigned.job_id or own or f"{self.name.value}-{self._names.assigned.suffix}"
