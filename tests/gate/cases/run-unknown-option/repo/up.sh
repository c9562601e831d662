#!/bin/bash
docker run -d --name godwit --shm-size=8g --restart=always \
  --device=/dev/davinci0 --device=/dev/davinci_manager --device=/dev/devmm_svm --device=/dev/hisi_hdc \
  -v /usr/local/Ascend/driver:/usr/local/Ascend/driver:ro \
  --port 8000:8000 \
  quay.io/ascend/vllm-ascend:v0.13.0 vllm serve /m --port 8000
