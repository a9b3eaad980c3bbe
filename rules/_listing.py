"""Made of the modules of rules by ``python -m raylint_rules._list``; :mod:`raylint.shelf` tells what it is for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.shelf import Listing

# fmt: off
LISTING: Listing = {
    "accelerators": (
        ("gpu", "resourceClaims", "habana.ai/", "huawei.com/", "aws.amazon.com/", "google.com/tpu", "nvidia.com/", "aliyun.com/", "rebellions.ai/"),
        (
            ("RAY403", "accelerator-unknown-to-ray", 2, 3, "", "", "DeviceGroup", "", False, False, False, ()),
            ("RAY406", "claimed-devices-unknown-to-ray", 2, 3, "", "", "DeviceGroup", "", False, False, False, ()),
        ),
    ),
    "api_consistency": (
        (),
        (
            ("API008", "duplicate-entry", 3, 3, "", "", "FaultyObject", "", False, False, False, ()),
            ("API009", "broken-rule", 3, 3, "", "", "FaultyObject", "", False, False, False, ()),
        ),
    ),
    "api_fields": (
        (),
        (
            ("API001", "unknown-field", 3, 3, "", "", "FaultyObject", "", False, False, False, ()),
            ("API003", "missing-field", 3, 3, "", "", "FaultyObject", "", False, False, False, ()),
        ),
    ),
    "api_kinds": (
        (),
        (
            ("API011", "kind-not-served", 3, 3, "", "", "OddKind", "", False, False, False, ()),
            ("API012", "deprecated-version", 2, 3, "", "", "OddKind", "", False, False, False, ()),
        ),
    ),
    "api_limits": (
        (),
        (
            ("API005", "number-out-of-range", 3, 3, "", "", "FaultyObject", "", False, False, False, ()),
            ("API006", "malformed-value", 3, 3, "", "", "FaultyObject", "", False, False, False, ()),
            ("API007", "wrong-length", 3, 3, "", "", "FaultyObject", "", False, False, False, ()),
        ),
    ),
    "api_metadata": (
        (),
        (
            ("API010", "invalid-metadata", 3, 3, "", "", "FaultyObject", "", False, False, False, ()),
        ),
    ),
    "api_values": (
        (),
        (
            ("API002", "wrong-type", 3, 3, "", "", "FaultyObject", "", False, False, False, ()),
            ("API004", "unsupported-value", 3, 3, "", "", "FaultyObject", "", False, False, False, ()),
        ),
    ),
    "autoscaler_release": (
        (),
        (
            ("RAY711", "autoscaler-image-pinned", 2, 3,
             "", "", "RayCluster", "autoscalerOptions", False, False, False, ()),
            ("RAY712", "autoscaler-v2-before-its-time", 1, 3,
             "", "", "RayCluster", "enableInTreeAutoscaling", False, False, False, ()),
        ),
    ),
    "autoscaler_resources": (
        ("enableInTreeAutoscaling",),
        (
            ("RAY426", "autoscaler-resources-mistaken", 2, 3,
             "", "", "RayCluster", "autoscalerOptions", False, False, False, ()),
            ("RAY427", "autoscaler-memory-for-many-workers", 1, 3,
             "", "", "RayCluster", "enableInTreeAutoscaling", False, False, False, ()),
        ),
    ),
    "autoscaler_setup": (
        ("enableInTreeAutoscaling",),
        (
            ("RAY235", "multi-host-before-ray-2-40", 2, 3,
             "", "..2.39", "RayCluster", "", False, False, False, ()),
            ("RAY237", "idle-timeout-short", 2, 3, "", "", "RayCluster", "", False, False, False, ()),
            ("RAY238", "head-memory-small-under-v2", 1, 3,
             "1.4..1.7", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "autoscaling": (
        ("enableInTreeAutoscaling",),
        (
            ("RAY201", "worker-may-restart-under-autoscaler", 2, 3,
             "", "", "RayCluster", "", False, False, False, ()),
            ("RAY202", "max-replicas-unbounded", 2, 3, "", "", "WorkerGroup", "", False, False, False, ()),
        ),
    ),
    "claims": (
        ("PersistentVolumeClaim", "persistentVolumeClaim"),
        (
            ("RAY431", "single-node-claim", 2, 2,
             "", "", "KubeObject", "", False, True, False, ("PersistentVolumeClaim",)),
        ),
    ),
    "clear_text_secrets": (
        ("assw", "ASSW", "assphrase", "ASSPHRASE", "ecret", "ECRET", "oken", "OKEN", "redential", "REDENTIAL", "Key", "KEY", "-key", "_key", "apikey", "@"),
        (
            ("RAY813", "secret-in-clear-text", 2, 3, "", "", "RayObject", "", False, False, False, ()),
        ),
    ),
    "collector_logs": (
        ("historyServerOptions",),
        (
            ("RAY363", "collector-logs-apart", 2, 3, "1.7..", "", "Group", "", False, False, False, ()),
        ),
    ),
    "container_command": (
        ("command", "args"),
        (
            ("RAY331", "own-ray-start", 2, 3, "", "", "Group", "", False, False, False, ()),
            ("RAY332", "command-before-ray-never-ends", 3, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "containers": (
        (),
        (
            ("RAY705", "ray-container-not-first", 3, 3, "", "", "Group", "", False, False, False, ()),
            ("RAY706", "container-name-taken", 3, 3, "", "", "FaultyPod", "", False, False, False, ()),
        ),
    ),
    "cpu_count": (
        (),
        (
            ("RAY351", "cpus-left-to-the-node", 2, 3, "", "", "OddlySized", "", False, False, False, ()),
            ("RAY352", "cpu-limit-rounded-up", 1, 3, "", "", "OddlySized", "", False, False, False, ()),
            ("RAY353", "cpus-above-limit", 1, 3, "", "", "OddlySized", "", False, False, False, ()),
        ),
    ),
    "cron_jobs": (
        ("RayCronJob",),
        (
            ("RAY518", "cron-job-without-time-zone", 1, 3, "1.7..", "", "RayCronJob", "", False, False, False, ()),
            ("RAY519", "cron-job-leaves-clusters", 2, 3, "", "", "RayCronJob", "", False, False, False, ()),
        ),
    ),
    "dashboard_ingress": (
        ("-head-svc", "ray.io/"),
        (
            ("RAY817", "dashboard-behind-ingress", 2, 2,
             "", "", "KubeObject", "", False, True, False, ("Ingress/-head-svc", "HTTPRoute/-head-svc")),
        ),
    ),
    "device_requests": (
        (),
        (
            ("RAY402", "extended-resource-refused", 3, 3, "", "", "DeviceGroup", "", False, False, False, ()),
            ("RAY407", "accelerator-of-submitter", 2, 3,
             "", "", "RayJob", "submitterPodTemplate", False, False, False, ()),
        ),
    ),
    "embedded_texts": (
        ("runtimeEnvYAML", "serveConfigV2"),
        (
            ("RAY620", "embedded-document-ignored", 2, 3, "", "", "OddText", "", False, False, False, ()),
            ("RAY621", "embedded-key-twice", 2, 3, "", "", "OddText", "", False, False, False, ()),
        ),
    ),
    "entrypoint": (
        ("entrypoint",),
        (
            ("RAY510", "entrypoint-not-paired", 3, 3, "", "", "OddJob", "entrypoint", False, False, False, ()),
            ("RAY511", "entrypoint-cut-by-shell", 2, 3,
             "1.3..", "", "OddJob", "entrypoint", False, False, False, ()),
            ("RAY512", "entrypoint-expanded-by-submitter", 2, 2,
             "1.3..", "", "OddJob", "entrypoint", False, False, False, ()),
        ),
    ),
    "exposure": (
        ("serviceType", "headService", "enableIngress", "authOptions"),
        (
            ("RAY801", "dashboard-exposed", 2, 3, "", "", "RayCluster", "", False, False, False, ()),
            ("RAY802", "auth-without-mode", 2, 3,
             "1.5.1..", "", "RayCluster", "authOptions", False, False, False, ()),
            ("RAY803", "ingress-without-class", 1, 2, "", "", "RayCluster", "", False, False, False, ()),
            ("RAY804", "head-service-port-twice", 3, 3, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "fault_tolerance_annotations": (
        ("ray.io/ft-enabled", "ray.io/external-storage-namespace"),
        (
            ("RAY117", "legacy-fault-tolerance", 1, 3, "1.3..", "", "RayCluster", "", False, False, False, ()),
            ("RAY120", "fault-tolerance-annotation-on-pod", 2, 3,
             "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "fault_tolerance_store": (
        ("RAY_REDIS_ADDRESS", "ray.io/ft-enabled"),
        (
            ("RAY118", "redis-address-misplaced", 2, 3, "", "", "RayCluster", "", False, False, False, ()),
            ("RAY121", "fault-tolerance-without-store", 2, 3, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "foreign_scaler": (
        ("HorizontalPodAutoscaler", "ScaledObject"),
        (
            ("RAY930", "foreign-scaler", 2, 3,
             "", "", "KubeObject", "", False, False, False, ("HorizontalPodAutoscaler", "ScaledObject")),
        ),
    ),
    "gitops": (
        ("argocd.argoproj.io", "fluxcd.io"),
        (
            ("RAY920", "replicas-under-gitops", 1, 2, "", "", "WorkerGroup", "", False, False, False, ()),
        ),
    ),
    "gpus": (
        ("gpu", "GPU", "nvidia.com/"),
        (
            ("RAY404", "gpus-differ-from-limit", 2, 3, "", "", "DeviceGroup", "", False, False, False, ()),
            ("RAY405", "gpu-kinds-mixed", 2, 3, "", "", "DeviceGroup", "", False, False, False, ()),
            ("RAY408", "gpu-with-cpu-image", 2, 2, "", "", "DeviceGroup", "", False, False, False, ()),
        ),
    ),
    "group_counts": (
        (),
        (
            ("RAY231", "no-hosts", 3, 3, "1.1..", "", "WorkerGroup", "numOfHosts", False, False, False, ()),
        ),
    ),
    "group_resources": (
        (),
        (
            ("RAY425", "group-resources-misread", 2, 3,
             "1.5..", "", "Group", "resources", False, False, False, ()),
        ),
    ),
    "head": (
        (),
        (
            ("RAY205", "head-without-cpus", 1, 3, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "head_ports": (
        ("containerPort",),
        (
            ("RAY362", "head-port-mismatch", 2, 3, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "host_network": (
        ("hostNetwork",),
        (
            ("RAY341", "host-network", 2, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "images": (
        (),
        (
            ("RAY703", "image-tag-moves", 2, 3, "", "", "RayCluster", "", False, False, False, ()),
            ("RAY704", "image-without-ray", 3, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "init_containers": (
        ("nslookup", "RAY_IP"),
        (
            ("RAY707", "wait-for-head-by-hand", 2, 3, "", "", "WorkerGroup", "", False, False, False, ()),
        ),
    ),
    "job_cleanup": (
        ("RayJob", "RayCronJob"),
        (
            ("RAY513", "job-without-deadline", 1, 3, "", "", "RayJob", "", False, False, False, ()),
            ("RAY514", "job-keeps-its-cluster", 2, 3, "", "", "RayJob", "", False, False, False, ()),
        ),
    ),
    "job_cluster": (
        (),
        (
            ("RAY520", "job-without-entrypoint", 3, 3, "1.2..", "", "OddJob", "", False, False, False, ()),
            ("RAY521", "cluster-suspended-for-good", 3, 3,
             "1.1..", "", "RayCluster", "suspend", False, False, False, ()),
            ("RAY531", "cluster-beside-selector", 2, 3,
             "", "", "RayJob", "clusterSelector", False, False, False, ()),
        ),
    ),
    "job_driver": (
        ("entrypointNum", "entrypointResources"),
        (
            ("RAY443", "job-driver-never-placed", 3, 3, "", "", "RayJob", "", False, False, False, ()),
        ),
    ),
    "job_submitter": (
        ("submitterPodTemplate", "submitterConfig", "imagePullSecrets"),
        (
            ("RAY515", "submitter-tries-again", 1, 3,
             "1.2..", "", "RayJob", "submitterPodTemplate", False, False, False, ()),
            ("RAY516", "submitter-cannot-pull", 2, 3, "", "", "RayJob", "", False, False, False, ()),
            ("RAY517", "submitter-settings-without-submitter", 1, 3,
             "", "", "RayJob", "", False, False, False, ()),
        ),
    ),
    "kubernetes_access": (
        ("dnsPolicy", "automountServiceAccountToken"),
        (
            ("RAY345", "worker-without-cluster-dns", 2, 3, "", "", "WorkerGroup", "", False, False, False, ()),
            ("RAY818", "autoscaler-without-token", 3, 3, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "kueue": (
        ("kueue.x-k8s.io",),
        (
            ("RAY901", "kueue-refuses", 3, 3,
             "", "", "Labels", "kueue.x-k8s.io/queue-name", False, False, False, ()),
            ("RAY902", "kueue-with-selector", 2, 3,
             "", "", "Labels", "kueue.x-k8s.io/queue-name", False, False, False, ()),
            ("RAY903", "kueue-with-autoscaler", 1, 3,
             "", "", "Labels", "kueue.x-k8s.io/queue-name", False, False, False, ()),
            ("RAY904", "kueue-queue-missing", 2, 2, "", "", "KubeObject", "", False, True, False, ("LocalQueue",)),
        ),
    ),
    "label_switches": (
        ("ray.io/enable-serve-service", "ray.io/disable-provisioned-head-restart", "ray.io/ft-enabled", "ray.io/overwrite-container-cmd", "ray.io/gang-scheduling-enabled"),
        (
            ("RAY911", "switch-unread", 2, 3, "", "", "RayObject", "", False, False, False, ()),
            ("RAY912", "gang-with-autoscaler", 1, 3, "", "", "RayObject", "", False, False, False, ()),
        ),
    ),
    "large_cluster": (
        (),
        (
            ("RAY924", "probes-of-large-cluster", 1, 3, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "lifecycle": (
        ("preStop",),
        (
            ("RAY709", "stop-hook-needless", 1, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "log_volume": (
        ("/var/log",),
        (
            ("RAY344", "log-volume-elsewhere", 1, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "login_shell": (
        ("PATH",),
        (
            ("RAY335", "path-reset-by-login-shell", 1, 3, "..1.3", "", "Group", "", False, False, False, ()),
        ),
    ),
    "memory": (
        ("resources", "memory"),
        (
            ("RAY421", "head-memory-small", 2, 3, "", "", "OddlySized", "", False, False, False, ()),
            ("RAY422", "memory-left-to-the-node", 1, 3, "", "", "OddlySized", "", False, False, False, ()),
            ("RAY423", "memory-request-below-limit", 1, 3, "", "", "OddlySized", "", False, False, False, ()),
            ("RAY424", "memory-above-limit", 2, 3, "", "", "OddlySized", "", False, False, False, ()),
        ),
    ),
    "missing_objects": (
        (),
        (
            ("RAY822", "referenced-object-missing", 2, 1,
             "", "", "KubeObject", "", False, True, True, ("Secret", "ConfigMap", "PersistentVolumeClaim", "ServiceAccount", "ExternalSecret", "SealedSecret")),
        ),
    ),
    "network_policy": (
        ("networkPolicy",),
        (
            ("RAY805", "network-policy-without-dns", 3, 3,
             "1.7..", "", "RayCluster", "networkPolicy", False, False, False, ()),
            ("RAY806", "network-policy-without-api-server", 2, 2,
             "1.7..", "", "RayCluster", "networkPolicy", False, False, False, ()),
            ("RAY807", "network-policy-without-store", 2, 3,
             "1.7..", "", "RayCluster", "networkPolicy", False, False, False, ()),
            ("RAY808", "network-policy-without-operator", 2, 3,
             "1.7..", "", "RayCluster", "networkPolicy", False, False, False, ()),
        ),
    ),
    "network_policy_objects": (
        ("NetworkPolicy", "ray.io/"),
        (
            ("RAY821", "network-policy-object-shuts-in", 2, 2,
             "", "", "KubeObject", "", False, True, False, ("NetworkPolicy",)),
        ),
    ),
    "node_helpers": (
        ("gcsfuse.csi.storage.gke.io", "initContainers"),
        (
            ("RAY708", "bucket-volume-without-mounter", 3, 3, "", "", "Group", "", False, False, False, ()),
            ("RAY718", "native-sidecar-on-old-kubernetes", 3, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "node_loss": (
        ("spot", "SPOT", "preemptible", "karpenter.sh/", "cluster-autoscaler.kubernetes.io/"),
        (
            ("RAY716", "head-may-be-evicted", 2, 3, "", "", "HeadGroup", "", False, False, False, ()),
        ),
    ),
    "object_store": (
        ("object-store-memory",),
        (
            ("RAY316", "object-store-too-large", 3, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "open_devices": (
        ("NVIDIA_VISIBLE_DEVICES", "privileged"),
        (
            ("RAY401", "gpus-of-the-whole-node", 2, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "open_services": (
        ("ray.io/",),
        (
            ("RAY823", "service-object-opens-head", 2, 2,
             "", "", "KubeObject", "", False, True, False, ("Service/ray.io/",)),
        ),
    ),
    "operator_auth": (
        ("authOptions",),
        (
            ("KR078", "auth-without-ray-version", 3, 3,
             "1.5.1..", "", "RayCluster", "authOptions", True, False, False, ()),
            ("KR079", "auth-with-odd-ray-version", 3, 3,
             "1.5.1..", "", "RayCluster", "authOptions", True, False, False, ()),
            ("KR080", "auth-with-old-ray", 3, 3,
             "1.5.1..", "", "RayCluster", "authOptions", True, False, False, ()),
            ("KR081", "kubernetes-auth-with-old-ray", 3, 3,
             "1.6..", "", "RayCluster", "authOptions", True, False, False, ()),
            ("KR082", "kubernetes-auth-with-secret", 3, 3,
             "1.6..", "", "RayCluster", "authOptions", True, False, False, ()),
            ("KR083", "kubernetes-auth-without-mode", 3, 3,
             "1.6..", "", "RayCluster", "authOptions", True, False, False, ()),
            ("KR141", "kubernetes-auth-of-job", 3, 3, "1.6..", "", "RayJob", "", True, False, False, ()),
            ("KR160", "kubernetes-auth-of-service", 3, 3, "1.6..", "", "RayService", "", True, False, False, ()),
        ),
    ),
    "operator_autoscaler": (
        ("autoscalerOptions", "suspend", "RAY_enable_autoscaler_v2"),
        (
            ("KR055", "suspended-group-gate", 3, 3, "1.3..", "", "WorkerGroup", "suspend", True, False, False, ()),
            ("KR056", "autoscaler-v2-env-without-autoscaling", 3, 3,
             "1.5..", "", "RayCluster", "", True, False, False, ()),
            ("KR057", "suspended-group-under-autoscaling", 3, 3,
             "1.3..", "", "WorkerGroup", "suspend", True, False, False, ()),
            ("KR058", "autoscaler-version-twice", 3, 3,
             "1.4..", "", "RayCluster", "autoscalerOptions", True, False, False, ()),
            ("KR059", "head-restart-policy-under-v2", 3, 3,
             "1.4..", "", "RayCluster", "autoscalerOptions", True, False, False, ()),
            ("KR060", "worker-restart-policy-under-v2", 3, 3,
             "1.4..", "", "RayCluster", "autoscalerOptions", True, False, False, ()),
            ("KR061", "autoscaler-idle-timeout-negative", 3, 3,
             "1.6..", "", "RayCluster", "autoscalerOptions", True, False, False, ()),
            ("KR062", "autoscaler-start-command-by-hand", 3, 3,
             "1.7..", "", "RayCluster", "autoscalerOptions", True, False, False, ()),
            ("KR201", "worker-restart-policy-under-v1", 2, 3,
             "1.7..", "", "RayCluster", "autoscalerOptions", True, False, False, ()),
        ),
    ),
    "operator_cron": (
        (),
        (
            ("KR180", "time-zone-in-schedule", 3, 3, "1.7..", "", "RayCronJob", "", True, False, False, ()),
            ("KR181", "schedule-syntax", 3, 3, "1.6..", "", "RayCronJob", "", True, False, False, ()),
            ("KR182", "time-zone-empty", 3, 3, "1.7..", "", "RayCronJob", "", True, False, False, ()),
            ("KR183", "time-zone-unknown", 3, 3, "1.7..", "", "RayCronJob", "", True, False, False, ()),
            ("KR223", "schedule-never-fires", 2, 3, "1.6..", "", "RayCronJob", "", True, False, False, ()),
            ("KR225", "cron-job-gate", 2, 3, "1.6..", "", "RayCronJob", "", True, False, False, ()),
        ),
    ),
    "operator_deletion": (
        (),
        (
            ("KR113", "deletion-strategy-gate", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR114", "deletion-rules-and-shutdown", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR115", "deletion-rules-and-outcomes", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR116", "deletion-outcome-alone", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR117", "on-success-without-policy", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR118", "on-failure-without-policy", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR119", "on-success-deletes-foreign-cluster", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR120", "on-failure-deletes-foreign-cluster", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR121", "outcome-deletes-scaled-workers", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR122", "outcome-keeps-what-shutdown-deletes", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR131", "deletion-strategy-empty", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR148", "deletion-policy", 3, 3, "1.3..1.4", "", "RayJob", "deletionPolicy", True, False, False, ()),
        ),
    ),
    "operator_deletion_rules": (
        (),
        (
            ("KR123", "deletion-rule-with-two-statuses", 3, 3,
             "1.6..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR124", "deletion-rule-without-status", 3, 3,
             "1.6..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR125", "deletion-rule-ttl-negative", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR126", "deletion-rule-of-foreign-cluster", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR127", "deletion-rule-of-scaled-workers", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR128", "deletion-rule-twice-for-job-status", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR129", "deletion-rule-twice-for-deployment-status", 3, 3,
             "1.6..", "", "RayJob", "deletionStrategy", True, False, False, ()),
            ("KR130", "deletion-rules-out-of-order", 3, 3,
             "1.5..", "", "RayJob", "deletionStrategy", True, False, False, ()),
        ),
    ),
    "operator_fault_tolerance": (
        ("gcsFaultToleranceOptions", "RAY_REDIS_ADDRESS", "redis-username", "REDIS_USERNAME"),
        (
            ("KR038", "fault-tolerance-twice", 3, 3,
             "1.3..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR039", "redis-address-without-fault-tolerance", 3, 3,
             "1.3..", "", "RayCluster", "", True, False, False, ()),
            ("KR040", "options-and-redis-password-param", 3, 3,
             "1.3..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR041", "options-and-redis-password-env", 3, 3,
             "1.3..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR042", "options-and-redis-address-env", 3, 3,
             "1.3..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR043", "options-and-namespace-annotation", 3, 3,
             "1.3..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR054", "redis-username-outside-options", 3, 3,
             "1.3..", "", "RayCluster", "", True, False, False, ()),
        ),
    ),
    "operator_groups": (
        (),
        (
            ("KR020", "head-without-container", 3, 3, "1.3..", "", "RefusableHead", "", True, False, False, ()),
            ("KR021", "head-resources-twice", 3, 3,
             "1.5..", "", "RefusableHead", "resources", True, False, False, ()),
            ("KR022", "head-labels-in-start-params", 3, 3,
             "1.5..", "", "RefusableHead", "rayStartParams", True, False, False, ()),
            ("KR023", "head-label-syntax", 3, 3, "1.5..", "", "RefusableHead", "labels", True, False, False, ()),
            ("KR024", "worker-without-container", 3, 3,
             "1.3..", "", "RefusableWorkers", "", True, False, False, ()),
            ("KR029", "worker-resources-twice", 3, 3,
             "1.5..", "", "RefusableWorkers", "resources", True, False, False, ()),
            ("KR030", "worker-labels-in-start-params", 3, 3,
             "1.5..", "", "RefusableWorkers", "rayStartParams", True, False, False, ()),
            ("KR031", "worker-label-syntax", 3, 3,
             "1.5..", "", "RefusableWorkers", "labels", True, False, False, ()),
            ("KR034", "priority-without-ray-version", 3, 3,
             "1.7..", "", "RefusableWorkers", "priority", True, False, False, ()),
            ("KR035", "priority-with-odd-ray-version", 3, 3,
             "1.7..", "", "RefusableWorkers", "priority", True, False, False, ()),
            ("KR036", "priority-with-old-ray", 3, 3,
             "1.7..", "", "RefusableWorkers", "priority", True, False, False, ()),
            ("KR037", "priority-needs-autoscaler-v2", 3, 3,
             "1.7..", "", "RefusableWorkers", "priority", True, False, False, ()),
        ),
    ),
    "operator_history_server": (
        (),
        (
            ("KR063", "history-server-gate", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR064", "history-server-without-collector", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR065", "collector-without-image", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR066", "collector-reserved-variable", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR076", "head-collector-by-hand", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR077", "worker-collector-by-hand", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
        ),
    ),
    "operator_history_store": (
        (),
        (
            ("KR067", "collector-without-backend", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR068", "collector-without-gcs-bucket", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR069", "collector-without-s3-region", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR070", "collector-azure-connection-string", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR071", "collector-azure-account-url", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR072", "collector-azure-account", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR073", "collector-without-oss-bucket", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR074", "collector-without-oss-endpoint", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
            ("KR075", "collector-without-oss-region", 3, 3,
             "1.7..", "", "RayCluster", "historyServerOptions", True, False, False, ()),
        ),
    ),
    "operator_idle": (
        (),
        (
            ("KR032", "group-idle-timeout-negative", 3, 3,
             "1.6..", "", "WorkerGroup", "idleTimeoutSeconds", True, False, False, ()),
            ("KR033", "idle-timeout-needs-autoscaler-v2", 3, 3,
             "1.6..", "", "WorkerGroup", "idleTimeoutSeconds", True, False, False, ()),
        ),
    ),
    "operator_job": (
        (),
        (
            ("KR132", "suspend-with-selector", 3, 3, "1.1..", "", "RayJob", "suspend", True, False, False, ()),
            ("KR133", "job-without-cluster", 3, 3, "1.1..", "", "OddJob", "", True, False, False, ()),
            ("KR134", "selector-without-name", 3, 3,
             "1.5..", "", "RayJob", "clusterSelector", True, False, False, ()),
            ("KR135", "sidecar-with-selector", 3, 3,
             "1.5..", "", "RayJob", "submissionMode", True, False, False, ()),
            ("KR136", "backoff-with-selector", 3, 3,
             "1.6..", "", "RayJob", "backoffLimit", True, False, False, ()),
            ("KR137", "backoff-in-interactive-mode", 3, 3,
             "1.4..", "", "RayJob", "backoffLimit", True, False, False, ()),
            ("KR138", "submitter-template-in-sidecar-mode", 3, 3,
             "1.5..", "", "RayJob", "submitterPodTemplate", True, False, False, ()),
            ("KR139", "submitter-config-in-sidecar-mode", 3, 3,
             "1.5..", "", "RayJob", "submitterConfig", True, False, False, ()),
            ("KR140", "head-restart-policy-in-sidecar-mode", 3, 3,
             "1.5..", "", "RayJob", "submissionMode", True, False, False, ()),
        ),
    ),
    "operator_job_limits": (
        (),
        (
            ("KR110", "suspend-without-shutdown", 3, 3, "1.1..", "", "RayJob", "suspend", True, False, False, ()),
            ("KR111", "ttl-negative", 3, 3,
             "1.4..", "", "OddJob", "ttlSecondsAfterFinished", True, False, False, ()),
            ("KR112", "ttl-without-shutdown", 3, 3,
             "1.4..", "", "OddJob", "ttlSecondsAfterFinished", True, False, False, ()),
            ("KR143", "runtime-env-not-mapping", 3, 3,
             "1.1..", "", "RayJob", "runtimeEnvYAML", True, False, False, ()),
            ("KR144", "active-deadline-not-positive", 3, 3,
             "1.1..", "", "RayJob", "activeDeadlineSeconds", True, False, False, ()),
            ("KR145", "pre-running-deadline-not-positive", 3, 3,
             "1.6..", "", "RayJob", "preRunningDeadlineSeconds", True, False, False, ()),
            ("KR146", "backoff-negative", 3, 3, "1.2..", "", "RayJob", "backoffLimit", True, False, False, ()),
        ),
    ),
    "operator_job_stalls": (
        (),
        (
            ("KR207", "job-metadata-with-old-ray", 2, 2,
             "1.0..", "", "RayJob", "metadata", True, False, False, ()),
            ("KR209", "submitter-without-container", 2, 3,
             "1.0..", "", "RayJob", "submitterPodTemplate", True, False, False, ()),
            ("KR210", "submitter-restart-policy", 2, 3,
             "1.0..", "", "RayJob", "submitterPodTemplate", True, False, False, ()),
            ("KR211", "entrypoint-resources-not-json", 2, 3,
             "1.0..", "", "RayJob", "entrypointResources", True, False, False, ()),
            ("KR212", "submission-mode-unknown", 2, 3,
             "1.1..", "", "RayJob", "submissionMode", True, False, False, ()),
        ),
    ),
    "operator_names": (
        (),
        (
            ("KR001", "cluster-name-too-long", 3, 3, "1.4..", "", "OddlyNamed", "", True, False, False, ()),
            ("KR002", "cluster-name-not-dns-label", 3, 3, "1.4..", "", "OddlyNamed", "", True, False, False, ()),
            ("KR003", "job-name-too-long", 3, 3, "1.4..", "", "OddlyNamed", "", True, False, False, ()),
            ("KR004", "job-name-not-dns-label", 3, 3, "1.4..", "", "OddlyNamed", "", True, False, False, ()),
            ("KR005", "service-name-too-long", 3, 3, "1.4..", "", "OddlyNamed", "", True, False, False, ()),
            ("KR006", "service-name-not-dns-label", 3, 3, "1.4..", "", "OddlyNamed", "", True, False, False, ()),
            ("KR008", "cron-name-too-long", 3, 3, "1.7..", "", "OddlyNamed", "", True, False, False, ()),
            ("KR009", "cluster-upgrade-type", 3, 3,
             "1.6..", "", "RayClusterObject", "upgradeStrategy", True, False, False, ()),
            ("KR010", "upgrade-strategy-of-owned-cluster", 3, 3,
             "1.6..", "", "RayCluster", "upgradeStrategy", True, False, False, ()),
        ),
    ),
    "operator_network_policy": (
        (),
        (
            ("KR084", "network-policy-gate", 3, 3,
             "1.7..", "", "RayCluster", "networkPolicy", True, False, False, ()),
            ("KR085", "network-policy-head-ingress", 3, 3,
             "1.7..", "", "RayCluster", "networkPolicy", True, False, False, ()),
            ("KR086", "network-policy-head-egress", 3, 3,
             "1.7..", "", "RayCluster", "networkPolicy", True, False, False, ()),
            ("KR087", "network-policy-worker-ingress", 3, 3,
             "1.7..", "", "RayCluster", "networkPolicy", True, False, False, ()),
            ("KR088", "network-policy-worker-egress", 3, 3,
             "1.7..", "", "RayCluster", "networkPolicy", True, False, False, ()),
            ("KR089", "group-name-under-network-policy", 3, 3,
             "1.7..", "", "RayCluster", "networkPolicy", True, False, False, ()),
            ("KR090", "network-policy-worker-group-ingress", 3, 3,
             "1.7..", "", "RayCluster", "networkPolicy", True, False, False, ()),
            ("KR091", "network-policy-worker-group-egress", 3, 3,
             "1.7..", "", "RayCluster", "networkPolicy", True, False, False, ()),
            ("KR092", "network-policy-of-no-group", 3, 3,
             "1.7..", "", "RayCluster", "networkPolicy", True, False, False, ()),
        ),
    ),
    "operator_replicas": (
        (),
        (
            ("KR026", "min-replicas-negative", 3, 3,
             "1.6..", "", "RefusableWorkers", "minReplicas", True, False, False, ()),
            ("KR027", "max-replicas-negative", 3, 3,
             "1.6..", "", "RefusableWorkers", "maxReplicas", True, False, False, ()),
            ("KR028", "min-replicas-above-max", 3, 3,
             "1.6..", "", "RefusableWorkers", "minReplicas", True, False, False, ()),
        ),
    ),
    "operator_rocksdb": (
        ("rocksdb", "storage"),
        (
            ("KR044", "rocksdb-gate", 3, 3,
             "1.7..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR045", "rocksdb-with-redis-address", 3, 3,
             "1.7..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR046", "rocksdb-with-redis-username", 3, 3,
             "1.7..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR047", "rocksdb-with-redis-password", 3, 3,
             "1.7..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR048", "rocksdb-with-storage-namespace", 3, 3,
             "1.7..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR049", "rocksdb-claim-and-its-shape", 3, 3,
             "1.7..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR050", "rocksdb-env-by-hand", 3, 3,
             "1.7..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR051", "rocksdb-mount-by-hand", 3, 3,
             "1.7..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR052", "rocksdb-volume-by-hand", 3, 3,
             "1.7..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
            ("KR053", "storage-without-rocksdb", 3, 3,
             "1.7..", "", "RayCluster", "gcsFaultToleranceOptions", True, False, False, ()),
        ),
    ),
    "operator_schedulers": (
        ("ray.io/gang-scheduling-enabled", "kai.scheduler", "kai-scheduler", "volcano.sh", "yunikorn.apache.org", "clusterSelector"),
        (
            ("KR253", "volcano-with-selector", 2, 2,
             "1.5..", "", "RayJob", "clusterSelector", True, False, False, ()),
            ("KR254", "volcano-tier-not-integer", 2, 3,
             "1.5..", "", "Labels", "volcano.sh/network-topology-highest-tier-allowed", True, False, False, ()),
            ("KR255", "kai-with-job", 2, 2, "1.5..", "", "Labels", "kai.scheduler/queue", True, False, False, ()),
            ("KR256", "kai-without-queue", 2, 1, "1.5..", "", "RayCluster", "", True, False, True, ()),
            ("KR257", "scheduler-plugins-with-job", 2, 1,
             "1.4..", "", "Labels", "ray.io/gang-scheduling-enabled", True, False, True, ()),
            ("KR258", "yunikorn-label-alone", 2, 2, "1.2..", "", "Labels", "", True, False, False, ()),
            ("KR259", "gang-scheduling-not-off", 2, 3,
             "1.2..", "", "Labels", "ray.io/gang-scheduling-enabled", True, False, False, ()),
            ("KR260", "workload-scheduling-skipped", 2, 3,
             "1.7..", "", "Labels", "ray.io/gang-scheduling-enabled", True, False, False, ()),
            ("KR261", "yunikorn-gang-with-selector", 2, 1,
             "1.5..", "", "RayJob", "clusterSelector", True, False, True, ()),
        ),
    ),
    "operator_service": (
        ("upgradeStrategy", "headService", "rayClusterDeletionDelaySeconds"),
        (
            ("KR162", "head-service-name-of-service", 3, 3,
             "1.3..", "", "RayService", "rayClusterConfig", True, False, False, ()),
            ("KR163", "service-upgrade-type", 3, 3,
             "1.3..", "", "RayService", "upgradeStrategy", True, False, False, ()),
            ("KR164", "deletion-delay-negative", 3, 3,
             "1.5..", "", "RayService", "rayClusterDeletionDelaySeconds", True, False, False, ()),
            ("KR165", "incremental-upgrade-without-autoscaling", 3, 3,
             "1.5..", "", "RayService", "upgradeStrategy", True, False, False, ()),
            ("KR166", "incremental-upgrade-without-options", 3, 3,
             "1.5..", "", "RayService", "upgradeStrategy", True, False, False, ()),
            ("KR167", "max-surge-percent", 3, 3,
             "1.5..", "", "RayService", "upgradeStrategy", True, False, False, ()),
            ("KR168", "step-size-percent", 3, 3,
             "1.5..", "", "RayService", "upgradeStrategy", True, False, False, ()),
            ("KR169", "step-size-above-surge", 3, 3,
             "1.7..", "", "RayService", "upgradeStrategy", True, False, False, ()),
            ("KR170", "upgrade-interval-not-positive", 3, 3,
             "1.5..", "", "RayService", "upgradeStrategy", True, False, False, ()),
            ("KR171", "gateway-class-empty", 3, 3,
             "1.5..", "", "RayService", "upgradeStrategy", True, False, False, ()),
        ),
    ),
    "operator_silent": (
        (),
        (
            ("KR227", "incremental-upgrade-gate", 2, 3,
             "1.5..", "", "RayService", "upgradeStrategy", True, False, False, ()),
        ),
    ),
    "operator_stalls": (
        (),
        (
            ("KR190", "worker-group-twice", 2, 3,
             "1.1..", "", "StallingCluster", "workerGroupSpecs", True, False, False, ()),
            ("KR191", "cluster-name-for-webhook", 2, 3,
             "1.1..1.3", "", "RayClusterObject", "", True, False, False, ()),
            ("KR200", "managed-by-another", 1, 3, "1.3..", "", "RayObject", "managedBy", False, False, False, ()),
            ("KR204", "serve-service-without-port", 2, 3,
             "1.1..", "", "StallingCluster", "", True, False, False, ()),
            ("KR205", "service-without-serve-port", 2, 3,
             "1.0..", "", "StallingCluster", "", True, False, False, ()),
            ("KR206", "head-without-dashboard-port", 2, 3,
             "1.0..", "", "StallingCluster", "", True, False, False, ()),
            ("KR213", "serve-config-not-mapping", 2, 3,
             "1.0..", "", "RayService", "serveConfigV2", True, False, False, ()),
        ),
    ),
    "operator_timeout": (
        ("ray.io/initializing-timeout",),
        (
            ("KR007", "initializing-timeout", 3, 3, "1.5..", "", "RayService", "", True, False, False, ()),
        ),
    ),
    "operator_tls": (
        (),
        (
            ("KR093", "tls-gate", 3, 3, "1.7..", "", "RayCluster", "tlsOptions", True, False, False, ()),
            ("KR094", "head-tls-env-by-hand", 3, 3,
             "1.7..", "", "RayCluster", "tlsOptions", True, False, False, ()),
            ("KR095", "head-tls-mount-by-hand", 3, 3,
             "1.7..", "", "RayCluster", "tlsOptions", True, False, False, ()),
            ("KR096", "worker-tls-env-by-hand", 3, 3,
             "1.7..", "", "RayCluster", "tlsOptions", True, False, False, ()),
            ("KR097", "worker-tls-mount-by-hand", 3, 3,
             "1.7..", "", "RayCluster", "tlsOptions", True, False, False, ()),
            ("KR098", "autoscaler-tls-env-by-hand", 3, 3,
             "1.7..", "", "RayCluster", "tlsOptions", True, False, False, ()),
            ("KR099", "autoscaler-tls-mount-by-hand", 3, 3,
             "1.7..", "", "RayCluster", "tlsOptions", True, False, False, ()),
        ),
    ),
    "overwritten_command": (
        ("ray.io/overwrite-container-cmd",),
        (
            ("RAY333", "overwritten-command-without-ray", 3, 2, "1.1..", "", "Group", "", False, False, False, ()),
            ("RAY334", "generated-command-split", 2, 3, "1.1..", "", "Group", "", False, False, False, ()),
        ),
    ),
    "pod_amounts": (
        (),
        (
            ("RAY428", "request-above-limit", 3, 3, "", "", "FaultyPod", "", False, False, False, ()),
            ("RAY429", "amount-of-wrong-unit", 3, 3, "", "", "FaultyPod", "", False, False, False, ()),
        ),
    ),
    "pod_containers": (
        (),
        (
            ("RAY365", "container-refused", 3, 3, "", "", "FaultyPod", "", False, False, False, ()),
        ),
    ),
    "pod_group_names": (
        (),
        (
            ("RAY368", "group-name-refused", 3, 3, "", "", "FaultyPod", "", False, False, False, ()),
        ),
    ),
    "pod_identity": (
        ("imagePullSecrets",),
        (
            ("RAY815", "head-cannot-pull", 2, 2, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "pod_label_clash": (
        ("app.kubernetes.io/", "ray.io/identifier", "ray.io/cluster", "ray.io/group", "ray.io/node-type"),
        (
            ("RAY809", "head-selector-label", 2, 3, "", "", "RayCluster", "", False, False, False, ()),
            ("RAY810", "operator-label-lost", 1, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "pod_mounts": (
        (),
        (
            ("RAY364", "mount-without-volume", 3, 3, "", "", "FaultyPod", "", False, False, False, ()),
        ),
    ),
    "pod_placement": (
        (),
        (
            ("RAY367", "placement-term-refused", 3, 3, "", "", "FaultyPod", "", False, False, False, ()),
        ),
    ),
    "pod_ports": (
        (),
        (
            ("RAY366", "container-port-refused", 3, 3, "", "", "FaultyPod", "", False, False, False, ()),
        ),
    ),
    "pod_selectors": (
        ("ray.io/",),
        (
            ("RAY530", "cluster-selector-misses", 2, 2,
             "", "", "RayObject", "", False, True, False, ("RayJob/clusterSelector", "RayCronJob/clusterSelector")),
            ("RAY820", "selector-selects-nothing", 2, 2,
             "", "", "KubeObject", "", False, True, False, ("Service/ray.io/", "PodDisruptionBudget/ray.io/", "PodMonitor/ray.io/", "NetworkPolicy/ray.io/")),
        ),
    ),
    "pod_user": (
        ("runAsUser",),
        (
            ("RAY814", "user-without-home", 2, 2, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "pod_values": (
        (),
        (
            ("RAY361", "pod-word-unknown", 3, 3, "", "", "FaultyPod", "", False, False, False, ()),
        ),
    ),
    "pod_volumes": (
        ("persistentVolumeClaim", "hostPath", "enableInTreeAutoscaling"),
        (
            ("RAY342", "ray-files-on-shared-volume", 2, 3, "", "", "Group", "", False, False, False, ()),
            ("RAY343", "autoscaler-logs-apart", 1, 3, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "priority_classes": (
        ("priorityClassName", "priority-class", "PriorityClass"),
        (
            ("RAY913", "priority-class-missing", 2, 2,
             "", "", "KubeObject", "", False, True, False, ("PriorityClass", "WorkloadPriorityClass")),
        ),
    ),
    "ray_images": (
        ("-py36", "-py37", "-py38", "-py39", "-py312", "-py313", "-py314", "kubernetes.io/arch"),
        (
            ("RAY714", "image-of-unsupported-python", 3, 2, "", "", "Group", "", False, False, False, ()),
            ("RAY715", "image-for-other-architecture", 3, 2, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "ray_release": (
        (),
        (
            ("RAY713", "ray-release-to-avoid", 2, 3, "", "..2.37", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "reconnect_timeout": (
        ("RAY_gcs_rpc_server_reconnect_timeout_s",),
        (
            ("RAY103", "worker-reconnect-timeout-too-short", 2, 3,
             "", "", "RayCluster", "", False, False, False, ()),
            ("RAY105", "head-reconnect-timeout-raised", 2, 3, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "reconnect_timeout_place": (
        ("RAY_gcs_rpc_server_reconnect_timeout_s", "RAY_REDIS_ADDRESS"),
        (
            ("RAY104", "reconnect-timeout-without-effect", 2, 3,
             "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "redis_address": (
        ("gcsFaultToleranceOptions", "ray.io/ft-enabled", "RAY_REDIS_ADDRESS"),
        (
            ("RAY108", "redis-address-unusable", 3, 3, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "redis_cleanup": (
        ("gcsFaultToleranceOptions", "ray.io/ft-enabled"),
        (
            ("RAY115", "redis-cleanup-may-hang", 1, 3, "", "..2.49", "RayCluster", "", False, False, False, ()),
            ("RAY116", "redis-cleanup-name-too-long", 3, 3,
             "..1.2", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "redis_credentials": (
        ("redisPassword", "redisUsername"),
        (
            ("RAY133", "redis-credential-undecided", 3, 3,
             "1.3..", "", "RayCluster", "gcsFaultToleranceOptions", False, False, False, ()),
        ),
    ),
    "redis_password": (
        ("gcsFaultToleranceOptions", "ray.io/ft-enabled", "RAY_REDIS_ADDRESS", "redis-password", "REDIS_PASSWORD"),
        (
            ("RAY113", "redis-password-variable-missing", 3, 3, "", "", "RayCluster", "", False, False, False, ()),
            ("RAY114", "redis-password-in-clear-text", 2, 3, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "redis_reach": (
        ("gcsFaultToleranceOptions", "ray.io/ft-enabled", "RAY_REDIS_ADDRESS"),
        (
            ("RAY109", "redis-address-partly-used", 2, 3, "", "", "RayCluster", "", False, False, False, ()),
            ("RAY110", "redis-cluster-address", 2, 2, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "redis_server": (
        ("redis", "valkey"),
        (
            ("RAY131", "redis-without-persistence", 2, 2,
             "", "", "KubeObject", "", False, True, False, ("Deployment/redis", "Deployment/valkey", "StatefulSet/redis", "StatefulSet/valkey", "Service/redis", "Service/valkey", "ConfigMap/redis", "ConfigMap/valkey")),
            ("RAY132", "redis-evicts-keys", 2, 2,
             "", "", "KubeObject", "", False, True, False, ("Deployment/redis", "Deployment/valkey", "StatefulSet/redis", "StatefulSet/valkey", "Service/redis", "Service/valkey", "ConfigMap/redis", "ConfigMap/valkey")),
        ),
    ),
    "redis_tls": (
        ("gcsFaultToleranceOptions", "ray.io/ft-enabled", "RAY_REDIS_ADDRESS"),
        (
            ("RAY111", "redis-tls-before-ray-2-7", 2, 3, "", "..2.6", "RayCluster", "", False, False, False, ()),
            ("RAY112", "rediss-without-ca", 2, 2, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "redis_username": (
        ("gcsFaultToleranceOptions", "redis-username"),
        (
            ("RAY119", "redis-username-before-ray-2-41", 3, 3,
             "", "..2.40", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "replicas": (
        (),
        (
            ("RAY203", "replicas-outside-bounds", 2, 3, "", "", "WorkerGroup", "", False, False, False, ()),
            ("RAY204", "max-replicas-unused", 1, 3, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "restarts": (
        ("gcsFaultToleranceOptions", "ray.io/ft-enabled"),
        (
            ("RAY101", "restart-never-with-gcs-ft", 2, 3, "", "", "RayCluster", "", False, False, False, ()),
            ("RAY102", "worker-restart-never-without-autoscaler", 1, 3,
             "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "runtime_env": (
        ("runtimeEnvYAML", "runtime_env"),
        (
            ("RAY501", "runtime-env-refused", 3, 3, "", "", "RayJob", "runtimeEnvYAML", False, False, False, ()),
            ("RAY502", "runtime-env-key-unknown", 2, 3, "", "", "OddEnvironments", "", False, False, False, ()),
            ("RAY503", "runtime-env-path-missing", 2, 3, "", "", "OddEnvironments", "", False, False, False, ()),
        ),
    ),
    "runtime_env_texts": (
        ("runtimeEnvYAML", "runtime_env"),
        (
            ("RAY504", "runtime-env-expanded-by-shell", 2, 3,
             "", "", "RayJob", "runtimeEnvYAML", False, False, False, ()),
            ("RAY505", "runtime-env-requirement-is-path", 2, 3,
             "", "", "OddEnvironments", "", False, False, False, ()),
            ("RAY506", "runtime-env-variable-out-of-place", 2, 3,
             "", "", "OddEnvironments", "", False, False, False, ()),
            ("RAY507", "runtime-env-pins-ray", 2, 2, "", "", "OddEnvironments", "", False, False, False, ()),
        ),
    ),
    "scheduler_labels": (
        (),
        (
            ("RAY910", "label-misspelt", 2, 3, "", "", "RayObject", "", False, False, False, ()),
        ),
    ),
    "serve": (
        ("gcsFaultToleranceOptions", "ray.io/ft-enabled"),
        (
            ("RAY601", "serve-replica-only-on-head", 2, 2, "", "", "RayService", "", False, False, False, ()),
            ("RAY615", "serve-head-takes-traffic", 1, 3, "1.3..", "", "RayService", "", False, False, False, ()),
        ),
    ),
    "serve_autoscaling": (
        ("autoscaling_config",),
        (
            ("RAY609", "serve-target-above-limit", 2, 2,
             "", "", "RayService", "serveConfigV2", False, False, False, ()),
        ),
    ),
    "serve_config": (
        ("serveConfigV2",),
        (
            ("RAY604", "serve-config-refused", 3, 3,
             "", "", "OddlyServed", "serveConfigV2", False, False, False, ()),
            ("RAY605", "serve-application-list-missing", 3, 3,
             "", "", "OddlyServed", "serveConfigV2", False, False, False, ()),
        ),
    ),
    "serve_deploy": (
        ("serveConfigV2",),
        (
            ("RAY606", "serve-application-fails", 3, 3,
             "", "", "OddlyServed", "serveConfigV2", False, False, False, ()),
        ),
    ),
    "serve_leftovers": (
        ("target_capacity", "serviceUnhealthySecondThreshold", "deploymentUnhealthySecondThreshold"),
        (
            ("RAY613", "serve-capacity-by-hand", 2, 3,
             "", "", "RayService", "serveConfigV2", False, False, False, ()),
            ("RAY614", "serve-threshold-ignored", 2, 3, "1.1..", "", "RayService", "", False, False, False, ()),
        ),
    ),
    "serve_placement": (
        ("serveConfigV2",),
        (
            ("RAY441", "serve-replica-never-placed", 3, 3,
             "", "", "CrowdedService", "serveConfigV2", False, False, False, ()),
        ),
    ),
    "serve_ports": (
        ("serveConfigV2",),
        (
            ("RAY610", "serve-port-mismatch", 3, 3,
             "", "", "RayService", "serveConfigV2", False, False, False, ()),
        ),
    ),
    "serve_proxies": (
        ("http_options", "proxy_location"),
        (
            ("RAY611", "serve-host-is-local", 2, 3,
             "", "", "RayService", "serveConfigV2", False, False, False, ()),
            ("RAY612", "serve-proxy-not-on-workers", 2, 3,
             "1.1..", "", "RayService", "serveConfigV2", False, False, False, ()),
        ),
    ),
    "serve_room": (
        ("serveConfigV2",),
        (
            ("RAY442", "serve-replicas-exceed-cluster", 3, 3,
             "", "", "CrowdedService", "serveConfigV2", False, False, False, ()),
        ),
    ),
    "serve_traffic": (
        ("serveConfigV2",),
        (
            ("RAY616", "serve-workers-without-replica", 1, 2,
             "1.1..", "", "RayService", "serveConfigV2", False, False, False, ()),
        ),
    ),
    "serve_unknown_keys": (
        ("serveConfigV2",),
        (
            ("RAY602", "serve-key-ignored", 2, 3, "", "", "OddlyServed", "serveConfigV2", False, False, False, ()),
            ("RAY603", "serve-key-outdated", 2, 3,
             "", "", "OddlyServed", "serveConfigV2", False, False, False, ()),
        ),
    ),
    "service_content": (
        (),
        (
            ("RAY617", "service-without-applications", 2, 3, "", "", "RayService", "", False, False, False, ()),
        ),
    ),
    "service_mesh": (
        ("sidecar.istio.io/inject",),
        (
            ("RAY308", "mesh-without-fixed-ports", 2, 2, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "settings_meaning": (
        ("RAY_",),
        (
            ("RAY323", "ray-setting-silently-off", 2, 3, "", "", "Group", "", False, False, False, ()),
            ("RAY324", "ray-setting-value-not-used", 2, 3, "", "", "Group", "", False, False, False, ()),
            ("RAY325", "fault-injection-left-on", 2, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "settings_names": (
        ("env",),
        (
            ("RAY322", "ray-setting-unread", 2, 3, "", "", "Group", "", False, False, False, ()),
            ("RAY326", "operator-variable-overridden", 2, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "settings_values": (
        ("RAY_",),
        (
            ("RAY321", "ray-setting-ends-ray", 3, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "shared_memory": (
        ("/dev/shm",),
        (
            ("RAY317", "shared-memory-volume-unfit", 2, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "slim_images": (
        ("slim", "alpine", "distroless"),
        (
            ("RAY710", "probe-needs-wget", 2, 2, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "start_effect": (
        ("rayStartParams",),
        (
            ("RAY305", "start-option-without-effect", 1, 3,
             "", "", "Group", "rayStartParams", False, False, False, ()),
            ("RAY315", "dashboard-turned-off", 2, 3,
             "", "", "HeadGroup", "rayStartParams", False, False, False, ()),
        ),
    ),
    "start_options": (
        (),
        (
            ("RAY301", "unknown-start-option", 3, 3, "", "", "FaultyStart", "", False, False, False, ()),
            ("RAY302", "start-option-for-the-head", 3, 3, "", "", "FaultyStart", "", False, False, False, ()),
            ("RAY303", "start-option-value", 3, 3, "", "", "FaultyStart", "", False, False, False, ()),
            ("RAY304", "start-option-switch", 3, 3, "", "", "FaultyStart", "", False, False, False, ()),
        ),
    ),
    "start_ports": (
        (),
        (
            ("RAY306", "start-port-unusable", 3, 3, "", "", "FaultyStart", "", False, False, False, ()),
            ("RAY307", "start-port-collision", 3, 3, "", "", "FaultyStart", "", False, False, False, ()),
        ),
    ),
    "start_refused": (
        (),
        (
            ("RAY313", "start-amount-out-of-range", 3, 3, "", "", "FaultyStart", "", False, False, False, ()),
            ("RAY314", "start-option-refused", 3, 3, "", "", "FaultyStart", "", False, False, False, ()),
        ),
    ),
    "start_values": (
        (),
        (
            ("RAY309", "start-option-in-shell", 3, 3, "", "", "FaultyStart", "", False, False, False, ()),
            ("RAY310", "custom-resources-invalid", 3, 3, "", "", "FaultyStart", "", False, False, False, ()),
            ("RAY311", "node-labels-invalid", 3, 3, "", "", "FaultyStart", "", False, False, False, ()),
            ("RAY312", "system-config-invalid", 3, 3, "", "", "FaultyStart", "", False, False, False, ()),
        ),
    ),
    "storage_namespace": (
        ("gcsFaultToleranceOptions", "ray.io/ft-enabled"),
        (
            ("RAY106", "pinned-storage-namespace", 3, 3, "", "", "RayCluster", "", False, False, False, ()),
            ("RAY107", "storage-namespace-shared", 3, 3, "", "", "RayCluster", "", False, True, False, ()),
        ),
    ),
    "tls_environment": (
        ("RAY_USE_TLS",),
        (
            ("RAY811", "tls-files-missing", 3, 3, "", "", "RayCluster", "", False, False, False, ()),
            ("RAY812", "tls-on-one-side", 3, 3, "", "", "RayCluster", "", False, False, False, ()),
        ),
    ),
    "tpu": (
        ("google.com/tpu",),
        (
            ("RAY411", "tpu-hosts-do-not-fit", 3, 3, "", "", "WorkerGroup", "", False, False, False, ()),
            ("RAY412", "tpu-topology-unknown", 3, 2, "", "", "WorkerGroup", "", False, False, False, ()),
            ("RAY413", "tpu-selector-missing", 3, 2, "", "", "WorkerGroup", "", False, False, False, ()),
        ),
    ),
    "versions": (
        ("rayproject",),
        (
            ("RAY701", "ray-versions-differ", 3, 3, "", "", "RayCluster", "", False, False, False, ()),
            ("RAY702", "ray-version-not-that-of-image", 2, 3,
             "", "", "RayCluster", "rayVersion", False, False, False, ()),
        ),
    ),
    "visible_devices": (
        ("CUDA_VISIBLE_DEVICES",),
        (
            ("RAY409", "visible-devices-below-count", 3, 3, "", "", "Group", "", False, False, False, ()),
        ),
    ),
    "worker_readiness": (
        ("readinessProbe",),
        (
            ("RAY630", "own-readiness-on-serve-worker", 2, 3,
             "1.1..", "", "RayService", "", False, False, False, ()),
        ),
    ),
}
SIZES = {
    "accelerators": 12226,
    "address": 7374,
    "api_consistency": 7654,
    "api_fields": 11080,
    "api_kinds": 8590,
    "api_limits": 10815,
    "api_metadata": 3633,
    "api_server": 1789,
    "api_values": 11373,
    "autoscaler_release": 6491,
    "autoscaler_resources": 7366,
    "autoscaler_setup": 6940,
    "autoscaling": 13037,
    "bundle": 650,
    "claims": 7251,
    "clear_text_secrets": 12350,
    "collector_logs": 2817,
    "container_command": 8404,
    "containers": 8050,
    "cpu_count": 13078,
    "cron_jobs": 5059,
    "dashboard_ingress": 9218,
    "deletion_strategy": 2483,
    "device_requests": 9202,
    "devices": 1925,
    "embedded_texts": 4423,
    "entrypoint": 10588,
    "exposure": 12713,
    "fault_tolerance_annotations": 11354,
    "fault_tolerance_store": 9332,
    "foreign_scaler": 2725,
    "gitops": 3640,
    "gpus": 10911,
    "group_counts": 1492,
    "group_resources": 4178,
    "head": 10321,
    "head_ports": 4625,
    "history_collector": 1567,
    "host_network": 4832,
    "images": 7396,
    "init_containers": 4132,
    "inner_page": 4562,
    "job_cleanup": 7281,
    "job_cluster": 6937,
    "job_driver": 6070,
    "job_submitter": 8794,
    "kubernetes_access": 5849,
    "kueue": 11683,
    "label_switches": 5122,
    "large_cluster": 3012,
    "lifecycle": 3141,
    "log_volume": 4180,
    "login_shell": 2722,
    "memory": 12870,
    "missing_objects": 6975,
    "mounts": 2219,
    "near_miss": 802,
    "network_policy": 16911,
    "network_policy_objects": 15143,
    "node_helpers": 9205,
    "node_loss": 6477,
    "object_store": 7559,
    "open_devices": 4763,
    "open_services": 6445,
    "operator_auth": 10485,
    "operator_autoscaler": 14562,
    "operator_cron": 8321,
    "operator_deletion": 15584,
    "operator_deletion_rules": 13404,
    "operator_fault_tolerance": 12231,
    "operator_groups": 15086,
    "operator_history_server": 8236,
    "operator_history_store": 11863,
    "operator_idle": 6556,
    "operator_job": 10966,
    "operator_job_limits": 6649,
    "operator_job_stalls": 12292,
    "operator_names": 12031,
    "operator_network_policy": 7791,
    "operator_page": 11352,
    "operator_replicas": 10160,
    "operator_rocksdb": 13909,
    "operator_schedulers": 16514,
    "operator_service": 17219,
    "operator_silent": 3092,
    "operator_stalls": 15260,
    "operator_timeout": 1825,
    "operator_tls": 6542,
    "outline": 1701,
    "overwritten_command": 9542,
    "placement": 2452,
    "pod_amounts": 5900,
    "pod_containers": 4052,
    "pod_group_names": 2507,
    "pod_identity": 4034,
    "pod_label_clash": 7844,
    "pod_mounts": 3740,
    "pod_placement": 4273,
    "pod_ports": 3079,
    "pod_selectors": 10529,
    "pod_user": 3252,
    "pod_values": 2456,
    "pod_volumes": 9753,
    "priority_classes": 4540,
    "ray_command": 1521,
    "ray_images": 7084,
    "ray_release": 3505,
    "reconnect_timeout": 11170,
    "reconnect_timeout_place": 7297,
    "redis_address": 12603,
    "redis_cleanup": 8832,
    "redis_credentials": 2988,
    "redis_password": 10415,
    "redis_reach": 14465,
    "redis_server": 14754,
    "redis_tls": 9723,
    "redis_username": 4032,
    "refusal": 5740,
    "replicas": 13688,
    "restarts": 11421,
    "runtime_env": 13399,
    "runtime_env_texts": 12461,
    "scheduler_labels": 6651,
    "selected_pods": 2815,
    "serve": 9843,
    "serve_autoscaling": 4901,
    "serve_config": 8495,
    "serve_demand": 3066,
    "serve_deploy": 4616,
    "serve_leftovers": 4337,
    "serve_placement": 9462,
    "serve_ports": 7248,
    "serve_proxies": 5989,
    "serve_room": 9295,
    "serve_traffic": 4435,
    "serve_unknown_keys": 7704,
    "service_content": 1897,
    "service_mesh": 4380,
    "settings": 1149,
    "settings_meaning": 11270,
    "settings_names": 9913,
    "settings_values": 11495,
    "shared_memory": 5506,
    "slim_images": 4232,
    "start_effect": 10597,
    "start_line": 3462,
    "start_options": 12182,
    "start_ports": 6437,
    "start_refused": 5628,
    "start_values": 11452,
    "storage_namespace": 13359,
    "tls_environment": 6012,
    "token_auth": 706,
    "tpu": 12430,
    "versions": 10362,
    "visible_devices": 3569,
    "worker_readiness": 2712,
}
