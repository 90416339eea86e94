"""The modules of cloud-init: in which stage and order they run, how often, and which keys turn them on.

The order is that of cloud.cfg on Debian and Ubuntu, with the modules of other distributions added; a configuration with
its own lists of modules (`cloud_init_modules` and so on) takes precedence.
"""

from __future__ import annotations

from typing import Final, NamedTuple

BOOT: Final = "every boot"
INSTANCE: Final = "once per instance"
ONCE: Final = "once"


class Module(NamedTuple):
    """A module: its name, how often it runs, and the keys of cloud-config that concern it."""

    name: str
    frequency: str
    keys: tuple[str, ...]


def _module(name: str, keys: str = "", frequency: str = INSTANCE) -> Module:
    return Module(name, frequency, tuple(keys.split()) or (name,))


INIT: Final = (
    _module("seed_random", "random_seed"),
    _module("bootcmd", frequency=BOOT),
    _module("write_files"),
    _module("growpart", frequency=BOOT),
    _module("resizefs", "resize_rootfs", BOOT),
    _module("disk_setup", "disk_setup fs_setup device_aliases"),
    _module("mounts", "mounts mount_default_fields swap"),
    _module("set_hostname", "hostname fqdn preserve_hostname prefer_fqdn_over_hostname create_hostname_file"),
    _module("update_hostname", "preserve_hostname", BOOT),
    _module("update_etc_hosts", "manage_etc_hosts", BOOT),
    _module("resolv_conf", "manage_resolv_conf resolv_conf"),
    _module("ca_certs", "ca_certs ca-certs"),
    _module("rsyslog"),
    _module("users_groups", "users user groups"),
    _module(
        "ssh",
        "ssh_keys ssh_authorized_keys ssh_deletekeys ssh_genkeytypes disable_root disable_root_opts "
        "allow_public_ssh_keys ssh_quiet_keygen ssh_publish_hostkeys",
    ),
    _module("set_passwords", "chpasswd password ssh_pwauth"),
)
CONFIG: Final = (
    _module("wireguard"),
    _module("snap"),
    _module("ubuntu_autoinstall", "autoinstall", ONCE),
    _module("ssh_import_id"),
    _module("keyboard"),
    _module("locale", "locale locale_configfile"),
    _module("apk_configure", "apk_repos"),
    _module("grub_dpkg", "grub_dpkg grub-dpkg"),
    _module("apt_pipelining"),
    _module("apt_configure", "apt"),
    _module("ubuntu_pro", "ubuntu_pro ubuntu_advantage"),
    _module("rh_subscription"),
    _module("spacewalk"),
    _module("yum_add_repo", "yum_repos yum_repo_dir"),
    _module("zypper_add_repo", "zypper", BOOT),
    _module("ntp"),
    _module("timezone"),
    _module("raspberry_pi", "rpi"),
    _module("disable_ec2_metadata", frequency=BOOT),
    _module("runcmd"),
    _module("byobu", "byobu_by_default"),
)
FINAL: Final = (
    _module(
        "package_update_upgrade_install",
        "packages package_update package_upgrade package_reboot_if_required apt_update apt_upgrade "
        "apt_reboot_if_required",
    ),
    _module("fan"),
    _module("landscape"),
    _module("lxd"),
    _module("ubuntu_drivers", "drivers"),
    _module("write_files_deferred", "write_files"),
    _module("puppet"),
    _module("chef", frequency=BOOT),
    _module("ansible"),
    _module("mcollective"),
    _module("salt_minion"),
    _module("reset_rmc", "-"),
    _module("scripts_vendor", "vendor_data"),
    _module("scripts_per_once", "-", ONCE),
    _module("scripts_per_boot", "-", BOOT),
    _module("scripts_per_instance", "-"),
    _module("scripts_user", "-"),
    _module("ssh_authkey_fingerprints", "no_ssh_fingerprints authkey_hash"),
    _module("keys_to_console", "ssh ssh_key_console_blacklist ssh_fp_console_blacklist"),
    _module("install_hotplug", "updates"),
    _module("phone_home"),
    _module("final_message", frequency=BOOT),
    _module("power_state_change", "power_state"),
)
STAGES: Final = {"init": INIT, "config": CONFIG, "final": FINAL}
"""The stages that run modules, in order."""
LISTS: Final = {"init": "cloud_init_modules", "config": "cloud_config_modules", "final": "cloud_final_modules"}
"""The keys under which a configuration lists the modules of a stage."""
KNOWN: Final = {module.name: module for modules in STAGES.values() for module in modules}
