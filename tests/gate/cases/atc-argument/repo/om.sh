#!/bin/bash
atc --framework=5 --model=a.onnx --output=a --soc_version=Ascend$1
