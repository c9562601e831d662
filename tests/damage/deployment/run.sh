#!/bin/bash
set -euo pipefail
source "$(dirname "$0")/cluster.env"
IMAGE=${1:-quay.io/ascend/vllm-ascend:v0.13.0}
OPTS=(--rm -it --shm-size=16g)
for i in {0..3} $(seq 4 7); do OPTS+=(--device "/dev/davinci$i"); done
if [[ "${MODE:-}" == debug ]]; then export ASCEND_LAUNCH_BLOCKING=1; else OPTS+=(--name "${NAME//x/y}"); fi
case "$2" in a|b) export HCCL_BUFFSIZE=256 ;; *) shift ;; esac
start() {
  local port=$((8000 + $1 * 2))
  docker run "${OPTS[@]}" -p $port:$port \
    --device=/dev/davinci_manager --device /dev/devmm_svm --device /dev/hisi_hdc \
    -v /usr/local/Ascend/driver:/usr/local/Ascend/driver -e "HCCL_IF_IP=$(hostname -I)" \
    "$IMAGE" bash -c "vllm serve '/models/${NAME%%-*}' --tensor-parallel-size 8"
}
while read -r line; do start "$line"; done < hosts | tee log
cat > .env <<-EOF
	A=$IMAGE
EOF
atc --framework=5 --model="${m%.onnx}.onnx" --input_shape="x:-1,3" --dynamic_batch_size="1,2" --soc_version=Ascend310P3
