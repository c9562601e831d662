#!/bin/bash
export HCCL_CONNECT_TIMEOUT=1200
export HCCL_IF_IP=$(hostname -I | awk '{print $1}')
export ASCEND_RT_VISIBLE_DEVICES=${DEVS:-0,1,2,3}
export PYTORCH_NPU_ALLOC_CONF="expandable_segments:True"
export TASK_QUEUE_ENABLE=2
torchrun --nproc_per_node=4 train.py
