#!/bin/bash
export ASCEND_LAUNCH_BLOCKING=1
vllm serve /m
