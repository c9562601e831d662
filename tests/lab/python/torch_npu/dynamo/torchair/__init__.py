"""The graph mode of torch_npu: nothing of it but its place."""
