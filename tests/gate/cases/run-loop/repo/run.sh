#!/bin/bash
NODES=""
for i in 0 1 2 3; do
  NODES="$NODES --device /dev/davinci$i"
done
docker run -d --ipc host $NODES --device /dev/davinci_manager --device /dev/devmm_svm --device /dev/hisi_hdc \
  -v /usr/local/Ascend/driver:/usr/local/Ascend/driver quay.io/ascend/vllm-ascend:v0.13.0 \
  vllm serve /m --tensor-parallel-size 4
