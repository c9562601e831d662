#!/bin/bash
atc --framework=5 --model=a.onnx --output=a --soc_version=Ascend910B4 --input_shape="x:-1,3,224,224" \
    --dynamic_batch_size="1,2,4" --precision_mode=allow_mix_precision --op_select_implmode=high_precision
