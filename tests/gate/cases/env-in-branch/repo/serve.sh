#!/bin/bash
if [ "${DEBUG:-0}" = 1 ]; then
  export ASCEND_LAUNCH_BLOCKING=1
  env | sort
fi
vllm serve /models/wren
