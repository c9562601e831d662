#!/bin/bash
export HCCL_IF_IP=xx.xx.xx.xx
torchrun --nproc_per_node 8 train.py
