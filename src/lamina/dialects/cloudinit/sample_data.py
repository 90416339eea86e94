"""Instance data of our own making, for looking at templates: the variables of one instance in each of some clouds."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from lamina.errors import UsageError
from lamina.protocol.dialect import unknown


class _SampleCloud(NamedTuple):
    """What differs from cloud to cloud."""

    cloud_id: str
    cloud_name: str
    platform: str
    subplatform: str
    instance_id: str
    region: str | None
    availability_zone: str | None


_CLOUDS: Final = {
    "aws": _SampleCloud(
        "aws", "aws", "ec2", "metadata (http://169.254.169.254)", "i-0123456789abcdef0", "eu-central-1", "eu-central-1a"
    ),
    "azure": _SampleCloud(
        "azure",
        "azure",
        "azure",
        "imds",
        "01234567-89ab-cdef-0123-456789abcdef",
        "westeurope",
        "1",
    ),
    "gce": _SampleCloud(
        "gce",
        "gce",
        "gce",
        "metadata (http://metadata.google.internal/computeMetadata/v1/)",
        "1234567890123456789",
        "europe-west3",
        "europe-west3-a",
    ),
    "openstack": _SampleCloud(
        "openstack",
        "openstack",
        "openstack",
        "metadata (http://169.254.169.254)",
        "01234567-89ab-cdef-0123-456789abcdef",
        None,
        "nova",
    ),
    "nocloud": _SampleCloud("nocloud", "nocloud", "nocloud", "config-disk (/dev/vdb)", "iid-sample01", None, None),
}


def sample(name: str) -> dict[str, Any]:
    """The data of a cloud by its name."""
    if name not in _CLOUDS:
        raise UsageError(unknown("value", name, list(_CLOUDS), " for --instance-data sample:"))
    cloud = _CLOUDS[name]
    host = "sample-host"
    v1 = {
        **cloud._asdict(),
        "distro": "ubuntu",
        "distro_release": "noble",
        "distro_version": "24.04",
        "kernel_release": "6.8.0-31-generic",
        "local_hostname": host,
        "machine": "x86_64",
        "public_ssh_keys": ["ssh-ed25519 AAAASAMPLE sample"],
        "python_version": "3.12.3",
        "system_platform": "Linux-6.8.0-31-generic-x86_64-with-glibc2.39",
        "variant": "ubuntu",
    }
    meta_data = {"instance-id": cloud.instance_id, "local-hostname": host, "hostname": host}
    return {"base64_encoded_keys": [], "ds": {"meta_data": meta_data}, "userdata": "", "v1": v1}
