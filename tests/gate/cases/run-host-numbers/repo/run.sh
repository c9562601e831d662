#!/bin/bash
docker run -d --name stork --shm-size=16g \
  --device /dev/davinci5 --device /dev/davinci_manager --device /dev/devmm_svm --device /dev/hisi_hdc \
  -e ASCEND_RT_VISIBLE_DEVICES=5 -v /usr/local/Ascend/driver:/usr/local/Ascend/driver \
  quay.io/ascend/vllm-ascend:v0.13.0 vllm serve /m
