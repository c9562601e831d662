#!/bin/bash
docker run -d -p 8000:8000 quay.io/ascend/vllm-ascend:v0.13.0 vllm serve /m
