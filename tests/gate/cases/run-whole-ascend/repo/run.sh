#!/bin/bash
docker run -d --name stork --shm-size=16g \
  --device /dev/davinci0 --device /dev/davinci_manager --device /dev/devmm_svm --device /dev/hisi_hdc \
  -v /usr/local/Ascend:/usr/local/Ascend \
  quay.io/ascend/vllm-ascend:v0.13.0 vllm serve /m
