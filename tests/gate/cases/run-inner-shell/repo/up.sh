#!/bin/bash
docker run -d --name wren \
  --device /dev/davinci0 --device /dev/davinci_manager \
  --device /dev/devmm_svm --device /dev/hisi_hdc \
  -v /usr/local/Ascend/driver:/usr/local/Ascend/driver -v /usr/local/dcmi:/usr/local/dcmi \
  -v /usr/local/bin/npu-smi:/usr/local/bin/npu-smi -v /etc/ascend_install.info:/etc/ascend_install.info \
  quay.io/ascend/vllm-ascend:v0.13.0 bash -c 'export HCCL_DETERMINISTIC=1; vllm serve /models/wren'
