#!/bin/bash
export HCCL_DETERMINISTIC=1
torchrun --nproc_per_node 8 train.py
