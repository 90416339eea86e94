"""What looks like a secret, and what does not."""

from __future__ import annotations

import pytest

import lamina
from lamina.views.lint.rule_secrets import looks_secret

PEM = "-----BEGIN {}PRIVATE KEY-----\nMIIEvQ\n-----END {}PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("password", "hunter22"),
        ("password", "password"),
        ("app::password", "ruler:hunter22"),
        ("password", "#hunter22"),
        ("password", "correct-horse-battery-staple"),
        ("credentials", "hunter22"),
        ("password", "northwind7"),
        ("password", "defaultly7"),
        ("adminPassword", "hunter22"),
        ("DB_PASSWD", "hunter22"),
        ("secret", "s3cr3t!"),
        ("client_secret", "abc"),
        ("auth_token", "abc"),
        ("api_key", "abc"),
        ("apiKey", "abc"),
        ("content", PEM.format("RSA ", "RSA ")),
        ("content", PEM.format("", "")),
        ("content", PEM.format("OPENSSH ", "OPENSSH ")),
        ("content", "key = AKIA" + "ABCDEFGHIJKLMNOP"),
        ("url", "https://me:hunter22@example.com/"),
        ("whatever", "Zk3vQ9pLw2Xr7TbY5nMs8Gd1HfJc4KaE"),
        ("secretKey", "hunter22"),
        ("secret_key", "sentry"),
        ("AWS_SECRET_KEY", "sentry"),
        ("password", "changelings"),
        ("password", "keydummypass"),
        ("password", "overthere"),
    ],
)
def test_secrets_are_found(key: str, value: str) -> None:
    assert looks_secret(key, value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("password", ""),
        ("password", None),
        ("password", "#{ENV['ELASTICSEARCH_PASSWORD']}"),
        ("identity:change_password", "rule:admin_only or rule:owner"),
        ("os_compute_api:os-admin-password", "(role:admin and project_id:%(target.project.id)s)"),
        ("credentials", "jenkins-gerrit-mtn5-key"),
        ("password", True),
        ("passwd", "$6$rounds=4096$salt$hash"),
        ("passwd", "*"),
        ("passwd", "!"),
        ("password", "{{ vault.password }}"),
        ("password", "%{lookup('db::password')}"),
        ("password", "dummypassword"),
        ("token", "dummytoken"),
        ("me@here", "AAAAB3NzaC1yc2EAAAADAQABAAABAQC7vbqajDw4o6gJy8UtmIbkcpnkO3Kwc4qsEnSZp"),
        ("password", "${DB_PASSWORD}"),
        ("password", "<%= password %>"),
        ("password", "[ENC=AQIDBA==]"),
        ("password", "ENC[AES256_GCM,data:abc]"),
        ("password", "$ANSIBLE_VAULT;1.1;AES256"),
        ("password", "<password>"),
        ("password", "CHANGEME"),
        ("password", "replace_me"),
        ("password", "********"),
        ("password", "!!changeme!!"),
        ("password", "changeme123"),
        ("password", "your_password_here"),
        ("token", "put-the-token-here"),
        ("existingSecret", "grafana-admin-user"),
        ("existingSecretPasswordKey", "admin-password"),
        ("auth_existing_secret", "web1"),
        ("secretKey", "password"),
        ("passwordSecretKey", "admin-password"),
        ("database_secret_key", "database-password"),
        ("secretName", "web-tls"),
        ("tlsSecretName", "Zk3vQ9pLw2Xr7TbY5nMs8Gd1HfJc4KaE"),
        ("alb.ingress.kubernetes.io/ssl-policy", "ELBSecurityPolicy-TLS-1-2-Ext-2018-06"),
        ("url", "postgres://orders:PASSWORD@db.example.com/orders"),
        ("url", "postgres://orders:${PASSWORD}@db.example.com/orders"),
        ("password", "ADMIN_PASSWORD"),
        ("secret", "vault:secret/data/app#password"),
        ("secret", "/run/secrets/app"),
        ("hashed_passwd", "0123456789abcdef"),
        ("password_file", "/etc/app/password"),
        ("token_lifetime", "3600s"),
        ("passwords_expire", "never"),
        ("public_key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ"),
        ("ssh_authorized_keys", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC me@example.com"),
        ("checksum", "Zk3vQ9pLw2Xr7TbY5nMs8Gd1HfJc4KaE"),
        ("sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("revision", "fca290a6e3b0c44298fc1c149afbf4c8996fb924"),
        ("key", "abc"),
        ("name", "a-long-name-with-many-words-in-it-1"),
        ("image", "registry.example.com/app@sha256:e3b0c44298fc1c149afbf4c8996fb924"),
        ("certificate", "-----BEGIN CERTIFICATE-----\nMIIEvQ\n-----END CERTIFICATE-----"),
        ("description", "The password is set by the operator in the vault of the site"),
    ],
)
def test_others_are_not(key: str, value: object) -> None:
    assert looks_secret(key, value) is None


def test_the_finding_never_shows_the_secret() -> None:
    found = lamina.lint([("a.yaml", "#cloud-config\npassword: hunter22\n")])
    assert [note.code for note in found] == ["cleartext-secret"]
    assert "hunter22" not in repr(found)


HASH = "write its hash (mkpasswd --method=SHA-512)"


@pytest.mark.parametrize(
    ("config", "hint"),
    [
        ("password: hunter22", HASH),
        ("users: [{name: a, passwd: hunter22}]", HASH),
        ("users: [{name: a, plain_text_passwd: hunter22}]", f"{HASH} as hashed_passwd instead"),
        ("chpasswd: {users: [{name: a, password: hunter22, type: text}]}", f"{HASH} with type: hash"),
        ("chpasswd:\n  list: |\n    root:$6$a$b\n    me:hunter22", HASH),
        ("chpasswd: {list: ['me:hunter22']}", HASH),
        (
            "salt_minion: {conf: {password: hunter22}}",
            "user-data can be read on the machine for as long as it runs; let the machine fetch it at boot",
        ),
    ],
)
def test_cloud_init_has_no_secret_store(config: str, hint: str) -> None:
    found = lamina.lint([("a.yaml", f"#cloud-config\n{config}\n")], select=["cleartext-secret"])
    assert [note.hint for note in found] == [hint]


@pytest.mark.parametrize(
    "config",
    [
        "chpasswd:\n  list: |\n    root:$6$a$b\n    me:RANDOM\n    you:R",
        "chpasswd: {list: ['me:${password}', 'you:RANDOM'], expire: false}",
        "chpasswd: {users: [{name: a, type: RANDOM}, {name: b, password: $6$a$b}]}",
    ],
)
def test_hashes_and_random_passwords_are_no_secrets(config: str) -> None:
    assert lamina.lint([("a.yaml", f"#cloud-config\n{config}\n")], select=["cleartext-secret"]) == []
