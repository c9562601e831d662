#!/bin/bash
nodes() {
  local count=$1
  for i in $(seq 0 $((count - 1))); do
    echo -n "--device=/dev/davinci$i "
  done
}
declare -A unused
docker run -d --name wren --shm-size=16g $(nodes 2) \
  --device /dev/davinci_manager \
  --device /dev/devmm_svm --device /dev/hisi_hdc \
  -v /usr/local/Ascend/driver:/usr/local/Ascend/driver -v /usr/local/dcmi:/usr/local/dcmi \
  -v /usr/local/bin/npu-smi:/usr/local/bin/npu-smi -v /etc/ascend_install.info:/etc/ascend_install.info \
  quay.io/ascend/vllm-ascend:v0.13.0 vllm serve /models/wren --tensor-parallel-size 2
