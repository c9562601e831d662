#!/bin/bash
atc --framework=5 --model=a.onnx --output=a --soc_version=Ascend310P3 \
    --input_shape="x:1,3,224,224" --dynamic_batch_size="1,2"
