#!/bin/bash
docker run --rm -v "$PWD":/src quay.io/ascend/cann:8.5.0-910b-ubuntu22.04-py3.11 make -C /src
