#!/bin/bash
export HCCL_BUFFSIZE=512
ASCEND_LAUNCH_BLOCKING=1 vllm serve /models/wren -tp 2
