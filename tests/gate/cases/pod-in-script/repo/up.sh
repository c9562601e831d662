#!/bin/bash
NAME=${1:-wren}
kubectl apply -f - <<EOF
apiVersion: v1
kind: Pod
metadata: {name: $NAME}
spec:
  containers:
    - name: main
      image: quay.io/ascend/vllm-ascend:${TAG:-v0.13.0}
      args: ["vllm", "serve", "/models/$NAME"]
      resources:
        limits: {huawei.com/ascend910: 1}
        requests: {huawei.com/ascend910: 1}
EOF
