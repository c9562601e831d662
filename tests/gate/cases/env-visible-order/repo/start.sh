#!/bin/bash
export ASCEND_RT_VISIBLE_DEVICES=3,2,1,0
vllm serve /m
