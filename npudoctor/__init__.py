"""npudoctor: the environment doctor and deployment provisioner for Ascend NPU servers."""

__version__ = "0.1.0"
