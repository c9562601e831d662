#!/bin/bash
chip=310P3
atc --framework=5 --model=a.onnx --output=a --soc_version=Ascend{$chip}
