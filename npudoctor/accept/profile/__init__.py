"""Profiler output of msprof, torch_npu and MindSpore, from CANN 5 to 9: where the time of the NPU goes."""
