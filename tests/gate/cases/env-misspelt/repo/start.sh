#!/bin/bash
export ASCEND_RT_VISIBLE_DEVICE=0,1
vllm serve /m
