"""What the API server, the operator, Ray, Kubernetes and Kueue say of what is wrong, and the rules about it.

Each line holds the words by which a message is told from others, without the names and values that it was filled
with, and then the rules that explain it, the likeliest first. ``raylint explain`` ranks the lines by how many of
their words stand in a text, rare words before common ones.
"""

from __future__ import annotations

__all__ = ["MESSAGES"]

_LINES = """
strict decoding error unknown field = API001
unknown field cannot be handled as strict decoding = API001
required value spec = API003
invalid value body must be of type string integer = API002
invalid value body must be of type boolean string = API002
invalid value body must be of type string number = API002
cannot unmarshal into go struct field of type = API002
unsupported value supported values = API004
checked value must be of type integer with format int32 = API005
should be greater than or equal to in body = API005
quantities must match the regular expression in body should match = API006
invalid value in body should match = API006
in body should have at least items = API007
duplicate value name = API008
deletionstrategy requires either both onsuccess and onfailure or deletionrules = API009 KR116
managedby field value must be either multikueue = API009
lowercase rfc 1123 subdomain must consist of lower case alphanumeric characters = API010
a valid label must be an empty string or consist of alphanumeric characters = API010
no matches for kind in version ray.io = API011
ensure crds are installed first no matches for kind = API011
raycluster v1alpha1 is deprecated use ray.io/v1 = API012
mapping values are not allowed in this context error converting yaml to json = RL001
found character that cannot start any token error converting yaml to json = RL001
raycluster name should be no more than characters = KR001 RAY116
raycluster name should be a valid dns1035 label = KR002
rayjob name should be no more than characters = KR003
rayjob name should be a valid dns1035 label = KR004
rayservice name should be no more than characters = KR005
rayservice name should be a valid dns1035 label = KR006
annotation initializing-timeout must be positive duration invalid format = KR007
raycronjob name should be no more than characters = KR008
headgroupspec should have at least one container = KR020
workergroupspec should have at least one container = KR024
resource fields should not be set in both raystartparams and resources use only one = KR021 KR029
raystartparams labels is not supported use top-level labels field = KR022 KR030
invalid label key for group = KR023 KR031
invalid label value for key in group = KR023 KR031
minreplicas must be non-negative integer worker group = KR026
maxreplicas must be non-negative integer worker group = KR027
minreplicas is greater than maxreplicas worker group = KR028
idletimeoutseconds worker group autoscaler v2 only = KR033
idletimeoutseconds must be non-negative = KR032 KR061
ft-enabled annotation and gcsfaulttoleranceoptions are both set = KR038
ray_redis_address is set implicitly enables gcs fault tolerance gcsfaulttoleranceoptions is not set = KR039
cannot set redis-password in raystartparams when gcsfaulttoleranceoptions enabled = KR040
cannot set redis_password env var in head pod when gcsfaulttoleranceoptions enabled = KR041
cannot set ray_redis_address env var in head pod when gcsfaulttoleranceoptions enabled = KR042
cannot set external-storage-namespace annotation when gcsfaulttoleranceoptions enabled = KR043
cannot set redis username in raystartparams or environment variables = KR054
worker group can be suspended only when rayjobdeletionpolicy feature gate enabled = KR055
ray_enable_autoscaler_v2 cannot be set when enableintreeautoscaling is false = KR056
worker group cannot be suspended with autoscaler enabled = KR057
autoscaleroptions.version and head pod env var ray_enable_autoscaler_v2 are set use only the former = KR058
restartpolicy for head pod should be never or unset when using autoscaler v2 = KR059
restartpolicy for worker group should be never or unset when using autoscaler v2 = KR060
authoptions.mode is token but rayversion was not specified = KR078
authoptions.mode is token but rayversion format is invalid = KR079
authoptions.mode is token but minimum ray version is 2.52.0 got = KR080
enablek8stokenauth minimum ray version = KR081
feature gate rayclusternetworkpolicy networkpolicy = KR084
feature gate rayclustermtls tlsoptions = KR093
feature gate raycronjob = KR225
rayjob shutdownafterjobfinishes set to false is not allowed to be suspended = KR110
ttlsecondsafterfinished must be a non-negative integer = KR111
shutdownafterjobfinishes set to false cannot have ttlsecondsafterfinished = KR112
deletionrules shutdownafterjobfinishes cannot be used together = KR114
deletionstrategy deleteworkers policy autoscaling enabled not supported = KR121 KR127
clusterselector mode does not support the suspend operation = KR132
one of rayclusterspec or clusterselector must be set = KR133
cluster name in clusterselector should not be empty = KR134
clusterselector is not supported in sidecarmode = KR135
backofflimit is incompatible with interactivemode = KR137
sidecarmode does not support submitterpodtemplate = KR138
sidecarmode does not support submitterconfig = KR139
restartpolicy for head pod should be never or unset when using sidecarmode = KR140
failed to unmarshal runtimeenvyaml = KR143
activedeadlineseconds must be a positive integer = KR144
backofflimit must be a positive integer = KR146
headservice.metadata.name should not be set rayclusterconfig = KR162
upgradestrategy.type value is invalid valid options newcluster = KR163
clusterupgradeoptions are required for newclusterwithincrementalupgrade = KR166
incremental upgrade requires autoscaling enabled = KR165
maxsurgepercent must be between 0 and 100 = KR167
stepsizepercent must be between 0 and 100 = KR168
cron schedule invalid failed to parse = KR181
raycluster not found rayclusternotfound rayjob = RAY530
invalidrayclusterspec invalidrayclustermetadata event raycluster is invalid = KR001 KR020
port not found for dashboard fetching service head-svc = KR206
serve port not found create serve service ports = KR205 KR204
spec.template.spec.restartpolicy unsupported value always supported values onfailure never job = KR210
index out of range rayjob submitter panic = KR209
serviceaccount not found failed to create pod head autoscaler = RAY822
duplicate port name service spec.ports duplicate value = RAY804
error got unexpected extra argument ray start usage = RAY309
no such option ray start usage did you mean = RAY301
error invalid value for is not a valid integer ray start num-cpus = RAY303
can only be set on the head node = RAY302
worker ports ray component will use port that is used by other component = RAY307
overrides the default worker port range port number is already used by another component = RAY307
the configured object store size exceeds dev shm size valueerror = RAY316
the object store is using tmp instead of dev shm harm performance = RAY317 RAY316
could not establish connection to redis = RAY108 RAY807
invalid redis address valueerror = RAY108
not enough values to unpack expected 2 got 1 redis = RAY108
redis moved reply cluster slots = RAY110
certificate verify failed redis ssl = RAY112
wrongpass invalid username-password pair redis = RAY113 RAY119
noauth authentication required redis = RAY113
version mismatch the cluster was started with ray python process = RAY701
this node has an ip address and ray expects gcs reconnect timeout raylet exits gcs unavailable = RAY103
failed to connect to gcs within seconds worker node head is alive = RAY103 RAY805
ray.io health check wait-gcs-ready gcs not ready waiting = RAY805 RAY821 RAY341
runtime_env setup failed working_dir not found = RAY503
runtime_envs in the serve config support only remote uris in working_dir and py_modules = RAY604
the pip and conda fields of runtime_env cannot both be set = RAY501
runtime_env env_vars must be of type dict str = RAY501
no available node types can fulfill resource request = RAY441 RAY443 RAY442
insufficient nvidia.com gpu nodes are available pod pending = RAY441 RAY443 RAY402
failed create pod exceeded quota must specify limits = RAY422 RAY423
failed to find the sidecar container gcsfuse failedmount = RAY708
ray command not found exec = RAY704 RAY335
errimagepull imagepullbackoff submitter pull access denied = RAY516 RAY815
back-off pulling image imagepullbackoff failed to pull unauthorized = RAY815 RAY516
multi-attach error for volume already used by pod = RAY431 RAY342
permission denied home ray = RAY814
ray_use_tls tls certificate environment variables missing keyerror ray_tls_server_cert = RAY811
kueue a kueue managed job should delete the cluster after finishing = RAY901
too many worker groups kueue podsets at most = RAY901
localqueue does not exist inactive = RAY904
kueue job should not use an existing cluster clusterselector = RAY902
a kueue managed job can use autoscaling only with elasticjobs = RAY903
failedgetscale could not find the requested resource horizontal scaler = RAY930
secret not found createcontainerconfigerror = RAY822
configmap not found failedmount mountvolume setup failed = RAY822
persistentvolumeclaim not found = RAY822
unexpected eof while looking for matching quote sh syntax error unterminated = RAY510
command not found submitter entrypoint sh = RAY511
unauthorized 401 missing authentication token ray = RAY802
invalid import path serve application failed to import = RAY606
readiness probe failed serve proxy healthz workers not ready = RAY612 RAY616
readiness probe failed wget not found command = RAY710
readiness probe failed success = RAY616 RAY612
oomkilled head gcs_server exit code 137 = RAY421 RAY238
oomkilled head = RAY421 RAY238
oomkilled autoscaler exit code 137 = RAY427
oomkilled autoscaler = RAY427
invalid value must be equal to gpu limit of = RAY402
"""


def _entries() -> tuple[tuple[str, tuple[str, ...]], ...]:
    lines = (line.partition(" = ") for line in _LINES.strip().split("\n"))
    return tuple((words, tuple(rules.split())) for words, _, rules in lines)


MESSAGES = _entries()
