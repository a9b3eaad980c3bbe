"""Where the history server's collector stores, as the operator refuses it. KubeRay 1.7, by feature gate."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.rule import Problem

from .history_collector import OPTIONS, Collector, filled
from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems, Rule

_BACKEND = "STORAGE_BACKEND"
_OSS = "Alibaba Cloud OSS"


@refuses("KR067", "1.7..", OPTIONS)
def collector_without_backend(cluster: RayCluster) -> Problems:
    """The operator refuses a history collector that does not say where it stores.

    `collectorOptions` without the variable `STORAGE_BACKEND`, or with one whose literal value is empty:
    `valueFrom` does not do.

    Gate: RayClusterHistoryServer
    Fix: Write `STORAGE_BACKEND` with a literal value such as `S3` or `GCS`.

    bad RayCluster
      cluster: historyServerOptions: {collectorOptions: {image: "collector:v1"}}  # <-
    bad RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - name: STORAGE_BACKEND  # <-
      cluster:       valueFrom: {configMapKeyRef: {name: history, key: backend}}
    good RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions: {image: "collector:v1", env: [{name: STORAGE_BACKEND, value: LOCAL}]}
    near-miss RayCluster -- The last of two counts:
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env: [{name: STORAGE_BACKEND, value: ""}, {name: STORAGE_BACKEND, value: LOCAL}]
    """
    collector = Collector(cluster)
    if not cluster.part(OPTIONS).has("collectorOptions") or collector.text(_BACKEND):
        return
    variable = collector.variables.get(_BACKEND)
    if variable is not None and not variable.value.known and not variable.has("valueFrom"):
        return
    yield refused(
        cluster,
        collector.options.at.key() if variable is None else variable.at,
        f"collectorOptions.env gives no literal value of {_BACKEND}",
        fix="write the variable with a literal value such as S3, GCS, AZUREBLOB or ALIYUNOSS",
    )


_NEEDS = """The operator refuses a history collector for @TITLE without `@NAME`.

    `STORAGE_BACKEND: @BACKEND`, in any letter case, without the variable `@NAME` in `collectorOptions.env`, or
    with an empty one. A `valueFrom` counts as a value.

    Gate: RayClusterHistoryServer
    Fix: Write the variable `@NAME`.

    bad RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env: [{name: STORAGE_BACKEND, value: @BACKEND}@OTHERS]  # <-
    bad RayJob -- The letter case does not count, and empty text is none:
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: @NAME, value: ""}
      cluster:     - {name: STORAGE_BACKEND, value: @LOWER}  # <-
    good RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env: [{name: STORAGE_BACKEND, value: @BACKEND}, {name: @NAME, value: x}@OTHERS]
    near-miss RayCluster -- From a ConfigMap:
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:       [{name: @NAME, valueFrom: {configMapKeyRef: {name: history, key: x}}},
      cluster:       {name: STORAGE_BACKEND, value: @BACKEND}@OTHERS]
    """


def _backend_needs(id: str, backend: str, title: str, name: str, *beside: str) -> Rule:
    """The check that one backend has one variable: the same for the stores whose settings do not hang together.
    ``beside``: what the store wants as well."""

    def check(cluster: RayCluster) -> Problems:
        collector = Collector(cluster)
        if collector.text(_BACKEND).upper() == backend and not collector.has(name):
            yield _missing(cluster, collector, name)

    others = "".join(f", {{name: {other}, value: x}}" for other in beside)
    words = {"@TITLE": title, "@NAME": name, "@BACKEND": backend, "@LOWER": backend.lower(), "@OTHERS": others}
    check.__doc__ = filled(_NEEDS, words)
    alias = f"collector-without-{name.lower().replace('_', '-')}"
    return refuses(id, "1.7..", OPTIONS, name=alias)(check)


def _missing(cluster: RayCluster, collector: Collector, name: str) -> Problem:
    backend = collector.text(_BACKEND)
    return refused(
        cluster,
        collector.at(_BACKEND),
        f"the collector's {_BACKEND} is {backend!r}, and collectorOptions.env has no {name}",
        fix=f"write the variable {name} beside {_BACKEND}, as a value or with valueFrom",
    )


collector_without_gcs_bucket = _backend_needs("KR068", "GCS", "Google Cloud Storage", "GCS_BUCKET")
collector_without_s3_region = _backend_needs("KR069", "S3", "S3", "S3_REGION")
collector_without_oss_bucket = _backend_needs(
    "KR073", "ALIYUNOSS", _OSS, "OSS_BUCKET", "OSS_ENDPOINT", "OSS_REGION"
)
collector_without_oss_endpoint = _backend_needs(
    "KR074", "ALIYUNOSS", _OSS, "OSS_ENDPOINT", "OSS_BUCKET", "OSS_REGION"
)
collector_without_oss_region = _backend_needs(
    "KR075", "ALIYUNOSS", _OSS, "OSS_REGION", "OSS_BUCKET", "OSS_ENDPOINT"
)

_CONNECTION = "AZURE_STORAGE_CONNECTION_STRING"
_ACCOUNT = "AZURE_STORAGE_ACCOUNT_URL"


def _azure_mode(collector: Collector) -> str | None:
    """The mode as KubeRay reads it; None for another store."""
    if collector.text(_BACKEND).upper() != "AZUREBLOB":
        return None
    return collector.text("AZURE_STORAGE_AUTH_MODE").strip().lower()


@refuses("KR070", "1.7..", OPTIONS)
def collector_azure_connection_string(cluster: RayCluster) -> Problems:
    """The operator refuses a history collector for Azure by connection string that has none.

    `STORAGE_BACKEND: AZUREBLOB` with `AZURE_STORAGE_AUTH_MODE: connection_string` and no, or an empty,
    `AZURE_STORAGE_CONNECTION_STRING`.

    Gate: RayClusterHistoryServer
    Fix: Write the variable, with `valueFrom` from a Secret.

    bad RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: STORAGE_BACKEND, value: AZUREBLOB}  # <-
      cluster:     - {name: AZURE_STORAGE_AUTH_MODE, value: connection_string}
    bad RayCluster -- Blanks and letter case do not count:
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: STORAGE_BACKEND, value: azureblob}  # <-
      cluster:     - {name: AZURE_STORAGE_AUTH_MODE, value: " Connection_String "}
      cluster:     - {name: AZURE_STORAGE_ACCOUNT_URL, value: "https://a.blob.core.windows.net"}
    good RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: STORAGE_BACKEND, value: AZUREBLOB}
      cluster:     - {name: AZURE_STORAGE_AUTH_MODE, value: connection_string}
      cluster:     - {name: AZURE_STORAGE_CONNECTION_STRING, valueFrom: {secretKeyRef: {name: azure, key: url}}}
    near-miss RayCluster -- Another store:
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: STORAGE_BACKEND, value: LOCAL}
      cluster:     - {name: AZURE_STORAGE_AUTH_MODE, value: connection_string}
    """
    collector = Collector(cluster)
    if _azure_mode(collector) == "connection_string" and not collector.has(_CONNECTION):
        yield _missing(cluster, collector, _CONNECTION)


@refuses("KR071", "1.7..", OPTIONS)
def collector_azure_account_url(cluster: RayCluster) -> Problems:
    """The operator refuses a history collector for Azure by workload identity that has no account URL.

    `STORAGE_BACKEND: AZUREBLOB` with `AZURE_STORAGE_AUTH_MODE` `workload_identity` or `default` and no, or an
    empty, `AZURE_STORAGE_ACCOUNT_URL`.

    Gate: RayClusterHistoryServer
    Fix: Write the variable.

    bad RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: STORAGE_BACKEND, value: AZUREBLOB}  # <-
      cluster:     - {name: AZURE_STORAGE_AUTH_MODE, value: workload_identity}
    bad RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: STORAGE_BACKEND, value: AzureBlob}  # <-
      cluster:     - {name: AZURE_STORAGE_AUTH_MODE, value: default}
      cluster:     - {name: AZURE_STORAGE_CONNECTION_STRING, value: x}
    good RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: STORAGE_BACKEND, value: AZUREBLOB}
      cluster:     - {name: AZURE_STORAGE_AUTH_MODE, value: default}
      cluster:     - {name: AZURE_STORAGE_ACCOUNT_URL, value: "https://a.blob.core.windows.net"}
    near-miss RayCluster -- Without a mode either of the two will do (KR072):
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: STORAGE_BACKEND, value: AZUREBLOB}
      cluster:     - {name: AZURE_STORAGE_CONNECTION_STRING, value: x}
    """
    collector = Collector(cluster)
    if _azure_mode(collector) in ("workload_identity", "default") and not collector.has(_ACCOUNT):
        yield _missing(cluster, collector, _ACCOUNT)


@refuses("KR072", "1.7..", OPTIONS)
def collector_azure_account(cluster: RayCluster) -> Problems:
    """The operator refuses a history collector for Azure that names no account.

    `STORAGE_BACKEND: AZUREBLOB` with no `AZURE_STORAGE_AUTH_MODE`, or one that KubeRay does not know, and neither
    `AZURE_STORAGE_CONNECTION_STRING` nor `AZURE_STORAGE_ACCOUNT_URL`.

    Gate: RayClusterHistoryServer
    Fix: Write one of the two variables.

    bad RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions: {image: "collector:v1", env: [{name: STORAGE_BACKEND, value: AZUREBLOB}]}  # <-
    bad RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: STORAGE_BACKEND, value: AZUREBLOB}  # <-
      cluster:     - {name: AZURE_STORAGE_AUTH_MODE, value: key}
    good RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: STORAGE_BACKEND, value: AZUREBLOB}
      cluster:     - {name: AZURE_STORAGE_CONNECTION_STRING, value: x}
    near-miss RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: STORAGE_BACKEND, value: AZUREBLOB}
      cluster:     - {name: AZURE_STORAGE_AUTH_MODE, value: key}
      cluster:     - {name: AZURE_STORAGE_ACCOUNT_URL, value: "https://a.blob.core.windows.net"}
    """
    collector = Collector(cluster)
    mode = _azure_mode(collector)
    if mode is None or mode in ("connection_string", "workload_identity", "default"):
        return
    if not collector.has(_CONNECTION) and not collector.has(_ACCOUNT):
        yield _missing(cluster, collector, f"{_CONNECTION} or {_ACCOUNT}")
