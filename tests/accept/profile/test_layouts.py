import pytest

from npudoctor.accept.profile.layouts import kind_of_file, kind_of_task, type_of_name


@pytest.mark.parametrize(
    ("core", "type", "kind"),
    [
        ("AI Core", "Conv2DBackpropFilterD", "cube"),
        ("AI_CORE", "Relu", "vector"),
        ("AI_CORE", "IncreFlashAttention", "cube"),
        ("AI_VECTOR_CORE", "DynamicRNN", "vector"),
        ("AI_VECTOR_CORE", "TransposeD", "copy"),
        ("MIX_AIC", "MoeDistributeDispatch", "cube"),
        ("AI_CPU", "Unique", "aicpu"),
        ("HCCL", "hcom_allReduce_", "communication"),
        ("AI_CPU", "hcom_allReduce_", "communication"),
        ("AI_CPU", "allreduceAicpuKernel", "communication"),
        ("AI_CPU", "reduce_scatterAicpuKernel", "communication"),
        ("AI_VECTOR_CORE", "allgather_AivKernel", "communication"),
        ("CCU_SQE", "x", "communication"),
        ("KERNEL_SIMT", "index_put_kernel", "vector"),
        ("AIV_SQE", "RmsNorm", "vector"),
        ("FFTS_PLUS", "MatMulV3", "cube"),
        ("AICPU_D", "Unique", "aicpu"),
        ("SDMA_SQE", "x", "transfer"),
        ("UBDMA", "x", "transfer"),
        ("EVENT_WAIT_SQE", "x", "wait"),
        ("Notify Wait", "x", "wait"),
        ("DAVID_EVENT_WAIT", "x", "wait"),
        ("", "MHA", "cube"),
        ("DSA_SQE", "DSARandomNormal", "other"),
        ("SOMETHING_NEW", "MatMulV2", "other"),
    ],
)
def test_a_task_is_of_the_kind_that_its_core_and_type_say(core, type, kind):
    assert kind_of_task(core, type) == kind


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("MatMulV2_320", "MatMulV2"),
        ("aclnnMatmul_MatMulCommon_MatMulV2", "MatMulV2"),
        ("layer/0/trans_TransData_12", "TransData"),
        ("hcom_allReduce__55_31_0@99", "hcom_allReduce"),
        ("te_softmax", "te_softmax"),
        ("reduce_scatterAicpuKernel", "reduce_scatterAicpuKernel"),
    ],
)
def test_a_name_tells_the_type(name, type):
    assert type_of_name(name) == type


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("op_summary_slice_1_20260101000000.csv", "operators"),
        ("kernel_details.csv", "operators"),
        ("msprof_slice_0_20260101000000.json", "trace"),
        ("msprof_0_1_slice_0_20260101000000.json", "trace"),
        ("task_time_0_1.json", "trace"),
        ("step_trace_0_1.json", None),
        ("msprof_20260101000000.db", "database"),
        ("ascend_mindspore_profiler_3.db", "database"),
        ("hccl_statistic_0_1_20240101000000.csv", "collectives"),
        ("README.txt", None),
    ],
)
def test_a_file_is_known_by_its_name(file, kind):
    assert kind_of_file(file) == kind
