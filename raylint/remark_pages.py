"""The examples on the pages of raylint's own remarks: a run that only reports needs none of them.

Where no manifest alone leads to a remark its page says what does.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Rule

__all__ = ["page_of"]

# By remark.
_EXAMPLES = {
    "RL001": """\
```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  rayVersion: 2.60.0: latest  # <-
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
   suspend: false  # <-
```

```yaml good
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  rayVersion: "2.60.0"
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good near-miss
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
---
notes: [not of Ray, and never closed
```
""",
    "RL003": """\
```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore RAY351 no brackets  # <-
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore[RAY351 it has the node for itself  # <-
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore[RAY351] it has the node for itself
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good near-miss
# Checked by raylint in CI: ignore nothing here.
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```
""",
    "RL004": """\
```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore[RAY101] it is not fault-tolerant  # <-
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: demo
  annotations:
    raylint/ignore-RAY101: it is not fault-tolerant  # <-
spec:
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore[RAY351] it has the node for itself
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good near-miss
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore[RAY107] the other cluster is in another repository
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```
""",
    "RL005": """\
```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore[RAY999] a slip  # <-
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore[RAY] the whole family  # <-
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore[RAY351] it has the node for itself
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good near-miss
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore[cpus-left-to-the-node] by its name
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```
""",
    "RL006": """\
```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore[RAY351] a trial until=2024-06-30  # <-
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: demo
  annotations:
    raylint/ignore-RAY351: "a trial; until=2024-06-30"  # <-
spec:
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore[RAY351] a trial until=2999-12-31
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good near-miss
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  # raylint: ignore[RAY351] as agreed on 2024-06-30
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```
""",
    "RL008": """\
```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
{{- if .Values.suspend }}  # <-
  suspend: true
{{- end }}
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  rayVersion: {{ .Values.version }}  # <-
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  suspend: true
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good near-miss
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  rayVersion: "{{ .Values.version }}"
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```
""",
    "RL010": """\
```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  suspend: true
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
  suspend: false  # <-
```

```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: demo
  labels:
    team: search
    stage: test
    team: ads  # <-
spec:
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  suspend: true
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good near-miss
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: demo
  labels: {name: demo}
spec:
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```
""",
    "RL011": """\
```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: demo
  labels:
    1: a
    "1": b  # <-
spec:
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml bad
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: demo
  labels:
    true: a
    "true": b  # <-
spec:
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: demo
  labels:
    "1": a
    "2": b
spec:
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```

```yaml good near-miss
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: demo
  labels:
    "1": a
    "01": b
spec:
  headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}}
```
""",
}
_INSTEAD = {
    "RL000": "None: no manifest is known on which raylint fails.",
    "RL012": "None in one file: `patch.yaml` is a patch where a `kustomization.yaml` beside it says\n"
    "`patches: [{path: patch.yaml}]`, and an object to be judged where it says `resources: [patch.yaml]`.",
    "RL013": "None: it takes more than 1,000 findings in one file.",
}


def page_of(rule: Rule) -> str:
    """The docstring of a remark's check, with the examples behind it."""
    text = "\n".join(line.removeprefix("    ") for line in (rule.check.__doc__ or "").strip().split("\n"))
    return f"{text}\n\n## Examples\n{_EXAMPLES.get(rule.id) or _INSTEAD[rule.id]}"
