"""Addresses the server connects to for somebody: only the outside world, unless settings say otherwise."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.kernel.errors import Invalid
from tidemill.kernel.outbound import Target, check_url, is_public


def resolving_to(*addresses: str):
    def resolve(host: str, port: int) -> list[str]:
        del host, port
        return list(addresses)

    return resolve


def refused(url: str, *addresses: str, allow: tuple[str, ...] = (), **options) -> str:
    with pytest.raises(Invalid) as caught:
        check_url(url, allow, resolve=resolving_to(*(addresses or ("93.184.216.34",))), **options)
    assert caught.value.field == "url"
    return caught.value.code


def test_a_public_host_is_pinned_to_the_address_that_was_checked() -> None:
    target = check_url("https://Example.org:8443/a/b?c=d", (), resolve=resolving_to("93.184.216.34"))
    assert target == Target("https", None, "example.org", 8443, "93.184.216.34", "/a/b?c=d", False)
    assert target.url == "https://example.org:8443/a/b?c=d"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:f5ff:fffe",
    ],
)  # fmt: skip
def test_a_host_in_a_private_network_is_refused(address: str) -> None:
    assert refused("https://inside.example/", address) == "address_private"


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    assert refused("https://mixed.example/", "93.184.216.34", "127.0.0.1") == "address_private"


@pytest.mark.parametrize("allow", ["inside.example", "INSIDE.example.", "10.1.2.3", "10.0.0.0/8"])
def test_settings_may_allow_a_host_an_address_or_a_network(allow: str) -> None:
    target = check_url("http://inside.example/", [allow], resolve=resolving_to("10.1.2.3"))
    assert target.ip == "10.1.2.3"


def test_allowing_one_network_does_not_allow_another() -> None:
    assert refused("https://inside.example/", "192.168.1.1", allow=("10.0.0.0/8", "other.example")) == "address_private"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://example.org/", "address_scheme"),
        ("file:///etc/passwd", "address_scheme"),
        ("example.org/path", "address_scheme"),
        ("https://", "address_malformed"),
        ("https://exa mple.org/", "address_malformed"),
        ("https://example.org/\n", "address_malformed"),
        ("https://example.org:0/", "address_malformed"),
        ("https://example.org:99999/", "address_malformed"),
        ("https://[::1/", "address_malformed"),
        ("https://-oProxyCommand=x/", "address_malformed"),
        ("https://user:secret@example.org/", "address_credentials"),
        ("https://token@example.org/", "address_credentials"),
        ("https://" + "a" * 3000 + "/", "address_malformed"),
    ],
)
def test_a_malformed_or_telling_address_is_refused(url: str, code: str) -> None:
    assert refused(url) == code


def test_an_ssh_address_may_name_its_user_but_not_a_password() -> None:
    target = check_url("ssh://git@example.org/a.git", (), schemes=("ssh",), resolve=resolving_to("93.184.216.34"))
    assert (target.user, target.port, target.url) == ("git", 22, "ssh://git@example.org/a.git")
    assert refused("ssh://git:secret@example.org/a.git", schemes=("ssh",)) == "address_credentials"


def test_an_unknown_host_is_refused_by_name() -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise OSError(f"no such host {host}:{port}")

    with pytest.raises(Invalid) as caught:
        check_url("https://nowhere.example/", (), resolve=resolve)
    assert (caught.value.code, caught.value.params) == ("address_unresolved", {"host": "nowhere.example"})


@given(st.text(max_size=80))
def test_any_text_is_either_a_checked_public_address_or_refused(text: str) -> None:
    try:
        target = check_url(text, (), resolve=resolving_to("93.184.216.34"))
    except Invalid:
        return
    assert target.scheme in {"http", "https"}
    assert not set("\r\n\t ") & set(target.url)


@given(st.ip_addresses(v=4))
def test_wrapping_an_address_in_ipv6_does_not_make_it_public(ip: ipaddress.IPv4Address) -> None:
    assert is_public(ipaddress.IPv6Address(f"::ffff:{ip}")) == is_public(ip)
    assert is_public(ipaddress.IPv6Address(int(ipaddress.IPv6Address("64:ff9b::")) + int(ip))) == is_public(ip)
