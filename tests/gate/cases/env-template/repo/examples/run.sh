#!/bin/bash
export HCCL_IF_IP=xx.xx.xx.xx
vllm serve /m
