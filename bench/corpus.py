"""A corpus like the repositories that raylint meets: manifests of Ray clusters, jobs and services with what
usually stands beside them, written for this project and varied by a seed.

Shape (as in KubeRay's own samples at v1.7.0, where it was measured): 1.78 documents a file, 56 % of them Ray's,
about 3 kB a file.
"""

from __future__ import annotations

import random
from pathlib import Path
from textwrap import indent

__all__ = ["write_corpus"]

_HEAD = """\
headGroupSpec:
  # The dashboard listens on every address so that the Service reaches it.
  rayStartParams:
    dashboard-host: "0.0.0.0"
    num-cpus: "{head_cpus}"
  template:
    metadata:
      labels:
        team: {team}
        cost-center: "{number}"
    spec:
      serviceAccountName: {name}
      containers:
        - name: ray-head
          image: {image}
          ports:
            - containerPort: 6379
              name: gcs-server
            - containerPort: 8265
              name: dashboard
            - containerPort: 10001
              name: client
            - containerPort: 8000
              name: serve
          env:
            - name: OMP_NUM_THREADS
              value: "4"
            - name: MODEL_BUCKET
              valueFrom:
                configMapKeyRef:
                  name: {name}-settings
                  key: bucket
          resources:
            requests:
              cpu: "{cpu}"
              memory: {memory}Gi
            limits:
              cpu: "{cpu}"
              memory: {memory}Gi
          volumeMounts:
            - mountPath: /tmp/ray
              name: ray-logs
      volumes:
        - name: ray-logs
          emptyDir: {{}}
"""

_WORKERS = """\
- groupName: {group}
  replicas: {replicas}
  minReplicas: {replicas}
  maxReplicas: {most}
  rayStartParams: {{}}
  template:
    metadata:
      labels:
        team: {team}
    spec:
      tolerations:
        - key: nvidia.com/gpu
          operator: Exists
          effect: NoSchedule
      nodeSelector:
        pool: {group}
      containers:
        - name: ray-worker
          image: {image}
          # Requests equal limits: the scheduler and Ray then see the same size.
          resources:
            requests:
              cpu: "{cpu}"
              memory: {memory}Gi
            limits:
              cpu: "{cpu}"
              memory: {memory}Gi
          volumeMounts:
            - mountPath: /tmp/ray
              name: ray-logs
      volumes:
        - name: ray-logs
          emptyDir: {{}}
"""

_SERVE = """\
applications:
  - name: {name}
    import_path: app.main:graph
    route_prefix: /{name}
    runtime_env:
      working_dir: "https://artifacts.example/{name}/{number}.zip"
    deployments:
      - name: Preprocess
        num_replicas: 2
        ray_actor_options:
          num_cpus: 0.5
      - name: Model
        num_replicas: {replicas}
        max_ongoing_requests: 20
        ray_actor_options:
          num_cpus: 2
"""

_BESIDES = (
    """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {name}-settings
data:
  bucket: models-{number}
  train.py: |
    import ray

    @ray.remote
    def square(x):
        return x * x

    print(sum(ray.get([square.remote(i) for i in range({number})])))
""",
    """\
apiVersion: v1
kind: Service
metadata:
  name: {name}-dashboard
  labels:
    team: {team}
spec:
  type: ClusterIP
  selector:
    app.kubernetes.io/name: {name}
  ports:
    - name: http
      port: 80
      targetPort: 8265
""",
    """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}-gateway
spec:
  replicas: {replicas}
  selector:
    matchLabels: {{app: {name}-gateway}}
  template:
    metadata:
      labels: {{app: {name}-gateway}}
    spec:
      containers:
        - name: gateway
          image: registry.example/gateway:{number}
          args: ["--upstream", "http://{name}-serve-svc:8000"]
""",
)


def write_corpus(folder: Path, files: int, seed: int = 7) -> int:
    """Write so many files below ``folder``, a hundred to a sub-folder. Gives the number of documents."""
    source = random.Random(seed)
    documents = 0
    for number in range(files):
        parts = _file(source, number)
        documents += len(parts)
        place = folder / f"team-{number // 100:03}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"manifest-{number:05}.yaml").write_text("---\n".join(parts))
    return documents


def _file(source: random.Random, number: int) -> list[str]:
    words = {
        "name": f"{source.choice(['ranker', 'trainer', 'embedder', 'tuner', 'batch'])}-{number}",
        "team": source.choice(["search", "ads", "vision", "speech"]),
        "number": number + 100,
        "image": f"rayproject/ray:2.{source.randrange(40, 60)}.0-py311",
        "cpu": source.choice([4, 8, 16]),
        "memory": source.choice([16, 32, 64]),
        "replicas": source.randrange(1, 4),
        "most": 3,
        "head_cpus": source.choice([0, 4]),
    }
    make = source.choice([_cluster, _cluster, _job, _service])
    besides = source.sample(_BESIDES, source.choice([0, 0, 1, 1, 2]))
    return [make(source, words), *(text.format(**words) for text in besides)]


def _spec(source: random.Random, words: dict[str, object]) -> str:
    groups = ["cpu", "gpu"][: source.choice([1, 1, 2])]
    workers = "".join(_WORKERS.format(**words, group=group) for group in groups)
    version = str(words["image"]).partition(":")[2].partition("-")[0]
    return f'rayVersion: "{version}"\n{_HEAD.format(**words)}workerGroupSpecs:\n{workers}'


def _metadata(kind: str, words: dict[str, object]) -> str:
    return (
        f"apiVersion: ray.io/v1\nkind: {kind}\nmetadata:\n  name: {words['name']}\n"
        f"  labels:\n    team: {words['team']}\nspec:\n"
    )


def _cluster(source: random.Random, words: dict[str, object]) -> str:
    return _metadata("RayCluster", words) + indent(_spec(source, words), "  ")


def _job(source: random.Random, words: dict[str, object]) -> str:
    settings = "entrypoint: python train.py\nshutdownAfterJobFinishes: true\nttlSecondsAfterFinished: 600\n"
    cluster = "rayClusterSpec:\n" + indent(_spec(source, words), "  ")
    return _metadata("RayJob", words) + indent(settings + cluster, "  ")


def _service(source: random.Random, words: dict[str, object]) -> str:
    serve = "serveConfigV2: |\n" + indent(_SERVE.format(**words), "  ")
    cluster = "rayClusterConfig:\n" + indent(_spec(source, words), "  ")
    return _metadata("RayService", words) + indent(serve + cluster, "  ")
