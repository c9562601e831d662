#!/bin/bash
docker run -d --name stork --shm-size=16g \
  --device /dev/davinci0 --device /dev/davinci_manager_docker:/dev/davinci_manager --device /dev/svm0 --device /dev/ts_aisle --device /dev/upgrade --device /dev/sys --device /dev/vdec --device /dev/vpc --device /dev/pngd --device /dev/venc --device /dev/log_drv --device /dev/dvpp_cmdlist \
  -v /usr/local/Ascend/driver/lib64:/usr/local/Ascend/driver/lib64 \
  swr.cn-south-1.myhuaweicloud.com/ascendhub/ascend-infer-310b:24.0.RC1-dev bash
