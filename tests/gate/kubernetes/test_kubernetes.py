"""Manifests: the containers of every pod, whatever makes it."""

import pytest

from npudoctor.gate.unit import Kind

POD = """      containers:
        - name: main
          image: quay.io/ascend/cann:8.5.0
          resources: {limits: {huawei.com/Ascend910: 8}, requests: {huawei.com/Ascend910: 8}}
"""
TEMPLATE = "template:\n    metadata: {labels: {app: x}}\n    spec:\n" + POD


def indented(text, by):
    return "".join(" " * by + line for line in text.splitlines(keepends=True))


def of_kind(kind, spec, version="apps/v1"):
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: it}}\nspec:\n{indented(spec, 2)}"


@pytest.fixture
def pods(units):
    return lambda files: [one for one in units(files) if one.kind is Kind.POD]


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("Deployment", TEMPLATE),
        ("StatefulSet", TEMPLATE),
        ("Job", TEMPLATE),
        (
            "Pod",
            "nodeSelector: {a: b}\n" + indented(POD, 0).replace("      ", "", 1).replace("\n      ", "\n"),
        ),
        ("CronJob", "jobTemplate:\n  spec:\n    " + indented(TEMPLATE, 4).lstrip()),
        ("LeaderWorkerSet", "leaderWorkerTemplate:\n  workerTemplate:\n    spec:\n" + POD),
        ("AscendJob", "replicaSpecs:\n  Master:\n    " + indented(TEMPLATE, 4).lstrip()),
        ("RayCluster", "workerGroupSpecs:\n- groupName: a\n  " + indented(TEMPLATE, 2).lstrip()),
        ("SomeNewKind", "roles:\n- name: prefill\n  " + indented(TEMPLATE, 2).lstrip()),
    ],
)
def test_the_pods_of_every_kind_are_found(pods, kind, spec):
    (unit,) = pods({"it.yaml": of_kind(kind, spec)})
    assert unit.name == "it/main"
    assert unit.image.text == "quay.io/ascend/cann:8.5.0"
    assert [(one.name, one.limit.text, one.request.text) for one in unit.resources] == [
        ("huawei.com/Ascend910", "8", "8")
    ]


def test_a_template_that_an_alias_repeats_is_one(pods):
    text = of_kind("AscendJob", "a:\n  template: &t\n    spec:\n" + POD + "b:\n  template: *t\n")
    assert len(pods({"it.yaml": text})) == 1


def test_several_documents_and_lists_are_all_read(pods):
    one = of_kind("Pod", POD)
    listed = "apiVersion: v1\nkind: List\nitems:\n- " + indented(one, 2).lstrip()
    assert len(pods({"it.yaml": f"{one}---\n{listed}---\n# nothing\n"})) == 2


def test_settings_of_a_container_with_their_lines(pods):
    (unit,) = pods(
        {
            "it.yaml": """apiVersion: v1
kind: Pod
metadata: {name: it, annotations: {a: b}}
spec:
  hostIPC: true
  runtimeClassName: ascend
  schedulerName: volcano
  nodeSelector: {accelerator: huawei-Ascend910}
  containers:
    - name: main
      image: quay.io/ascend/cann:8.5.0
      command: ["bash", "-c", "vllm serve $(MODEL) -tp 2"]
      securityContext: {privileged: true, runAsUser: 1000, capabilities: {drop: [ALL]}}
      env:
        - {name: MODEL, value: /m}
        - {name: KEY, valueFrom: {secretKeyRef: {name: s, key: k}}}
        - name: ASCEND_VISIBLE_DEVICES
          valueFrom: {fieldRef: {fieldPath: "metadata.annotations['huawei.com/Ascend910']"}}
      volumeMounts:
        - {name: shm, mountPath: /dev/shm}
        - {name: driver, mountPath: /usr/local/Ascend/driver}
        - {name: claim, mountPath: /data}
  volumes:
    - {name: shm, emptyDir: {medium: Memory, sizeLimit: 4Gi}}
    - {name: driver, hostPath: {path: /usr/local/Ascend/driver}}
    - {name: claim, persistentVolumeClaim: {claimName: c}}
"""
        }
    )
    assert unit.is_privileged
    assert (unit.ipc.text, unit.runtime.text, unit.scheduler.text, unit.user.text) == (
        "host",
        "ascend",
        "volcano",
        "1000",
    )
    assert unit.environment["MODEL"].where.line == 15
    assert unit.environment["KEY"].field == "secret s/k"
    assert unit.environment["ASCEND_VISIBLE_DEVICES"].field == "metadata.annotations['huawei.com/Ascend910']"
    assert unit.commands[-1].words == ("vllm", "serve", "/m", "-tp", "2")
    assert [(one.source, one.target, one.memory, one.size) for one in unit.mounts] == [
        ("", "/dev/shm", True, "4Gi"),
        ("/usr/local/Ascend/driver", "/usr/local/Ascend/driver", False, ""),
        ("", "/data", False, ""),
    ]


def test_variables_of_config_maps_come_with_their_own_lines(pods):
    pod = of_kind("Pod", POD.rstrip() + "\n          envFrom: [{configMapRef: {name: env}}]\n")
    maps = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata:\n  HCCL_BUFFSIZE: "512"\n'
    (unit,) = pods({"pod.yaml": pod, "maps/env.yaml": maps})
    found = unit.environment["HCCL_BUFFSIZE"]
    assert (found.text, found.where.path, found.where.line) == ("512", "maps/env.yaml", 5)
    (alone,) = pods({"maps/env.yaml": "a: 1", "pod.yaml": pod})
    assert alone.open


def test_kustomize_gives_images_and_its_patches_leave_pods_open(pods):
    pod = of_kind("Pod", POD)
    overlay = "resources: [../base]\nimages:\n- {name: quay.io/ascend/cann, newTag: 9.0.0}\n"
    files = {
        "base/pod.yaml": pod,
        "base/kustomization.yaml": "resources: [pod.yaml]\n",
        "prod/kustomization.yaml": overlay,
    }
    images = [(one.image.text, one.image.where.path) for one in pods(files)]
    assert images == [
        ("quay.io/ascend/cann:8.5.0", "base/pod.yaml"),
        ("quay.io/ascend/cann:9.0.0", "prod/kustomization.yaml"),
    ]
    patched = {"pod.yaml": pod, "kustomization.yaml": "resources: [pod.yaml]\npatches: [{path: p.yaml}]\n"}
    assert pods({**dict.fromkeys(files, "a: 1"), **patched})[0].open


def test_a_chart_is_read_as_far_as_its_values_go(pods):
    template = (
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n  labels:\n"
        '    {{- include "x.labels" . | nindent 4 }}\nspec:\n  containers:\n  - name: main\n'
        '    image: "{{ .Values.image.repo }}:{{ required "a tag" .Values.image.tag }}"\n'
        "    {{- if .Values.npu }}\n    resources:\n      limits:\n"
        "        huawei.com/Ascend910: {{ .Values.npu | default 8 }}\n    {{- end }}\n"
    )
    values = "image:\n  repo: quay.io/ascend/cann\n"
    files = {"chart/Chart.yaml": "name: x", "chart/templates/pod.yaml": template, "chart/values.yaml": values}
    (unit,) = pods(files)
    assert unit.image.text == "quay.io/ascend/cann:${.Values.image.tag}"
    assert unit.image.unresolved == (".Values.image.tag",)
    assert (unit.image.where.line, unit.resources[0].limit.text) == (10, "8")
    assert unit.open


def test_a_template_that_is_a_program_is_unknown_and_no_error(pods):
    text = (
        "apiVersion: v1\nkind: Pod\nspec:\n  containers: {{ range .Values.c }}- {{ . }} ascend: {{ end }}]\n"
    )
    (unit,) = pods({"chart/templates/pod.yaml": text})
    assert [one.status.value for one in unit.slips] == ["unknown"]


def test_a_served_model_is_open_as_its_runtime_completes_it(pods):
    text = of_kind(
        "InferenceService", "predictor:\n  model:\n    modelFormat: {name: vllm}\n    image: ascend/x\n"
    )
    assert pods({"it.yaml": text})[0].open


def test_definitions_of_kinds_describe_no_pod(pods):
    assert not pods({"crd.yaml": of_kind("CustomResourceDefinition", TEMPLATE)})


def test_aliases_of_aliases_cost_nothing(pods):
    bomb = "".join(f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * 9) if i else 'ascend'}]\n" for i in range(40))
    assert not pods({"bomb.yaml": f"apiVersion: v1\nkind: Odd\n{bomb}"})
