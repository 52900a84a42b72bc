"""Settings: environment variables `TIDEMILL_*`, then `tidemill.toml` in the home, then these defaults."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SecretStr, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

SETTINGS_FILE = "tidemill.toml"


def _split(value: Any) -> Any:
    """A list in the environment is written with commas."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Listed = Annotated[list[str], NoDecode, BeforeValidator(_split)]


class Settings(BaseSettings):
    """Everything that can be set. Names in the environment are upper case with `TIDEMILL_` before them."""

    model_config = SettingsConfigDict(env_prefix="TIDEMILL_", extra="ignore")

    home: Path = Field(default_factory=lambda: Path.home() / ".tidemill")
    host: str = "127.0.0.1"
    port: int = Field(default=8700, ge=1, le=65535 - 81)
    public_url: str | None = None
    """How browsers reach us, when not at http://host:port."""
    apps_url: str | None = None
    """How browsers reach the apps origin, when not at the next port. `https://*.apps.example.org` gives each workload
    an origin of its own."""
    trusted_proxies: Listed = []
    """Addresses or networks of proxies whose X-Forwarded-For and X-Forwarded-Proto we believe."""

    database_url: str | None = None
    """SQLite in the home unless told otherwise; `postgresql+psycopg://user:secret@host/name` for teams."""

    store_s3_bucket: str | None = None
    """Set to keep blobs in a bucket instead of the home."""
    store_s3_prefix: str = ""
    store_s3_endpoint: str | None = None
    store_s3_region: str | None = None
    store_s3_access_key: SecretStr | None = None
    store_s3_secret_key: SecretStr | None = None
    store_fsync: bool = True
    """Wait until the disk has the bytes before saying so."""

    chunk_bytes: int = Field(default=16 * 1024 * 1024, ge=1)
    batch_files: int = Field(default=1000, ge=1)
    batch_bytes: int = Field(default=64 * 1024 * 1024, ge=1)
    text_edit_bytes: int = Field(default=8 * 1024 * 1024, ge=1)
    upload_days: float = Field(default=7, ge=0)
    """An upload nobody went on with is given up after this."""
    gc_grace_hours: float = Field(default=24, ge=0)
    """Bytes sent but not yet part of anything are kept this long."""
    bin_days: float = Field(default=30, ge=0)

    admin_password: SecretStr | None = None
    """The first administrator's password at the first start; generated when not set."""
    password_min: int = Field(default=8, ge=1)
    password_max: int = Field(default=64, ge=1, le=1024)
    argon2_time_cost: int = Field(default=3, ge=1)
    argon2_memory_kib: int = Field(default=65536, ge=8)
    session_days: float = Field(default=14, gt=0)
    attempts_per_account_and_address: int = Field(default=5, ge=1)
    attempts_per_account: int = Field(default=30, ge=1)
    attempts_per_address: int = Field(default=100, ge=1)
    attempts_window_s: int = Field(default=300, ge=1)

    outbound_allow: Listed = []
    """Hosts, addresses or networks in private ranges that imports and webhooks may reach."""
    import_folders: Listed = []
    """Folders of this server that data may be imported from; nobody can where none is named."""
    export_days: float = Field(default=14, ge=0)
    """Files that exports made are kept this long; then they are made again when asked for."""
    git_timeout_s: int = Field(default=1800, ge=1)
    git_max_bytes: int = Field(default=20 * 1024**3, ge=1)

    models_own_python: bool = True
    """Whether the platform's own Python trains, evaluates and annotates where it has all that this needs; otherwise,
    and where it has not, `tidemill/algorithms` and `tidemill/runtime` do."""
    catalogue_folder: Path | None = None
    """Files of the model catalogue, for networks without a way out; looked into before anything is downloaded."""

    engine_cpus: float | None = Field(default=None, gt=0)
    """CPUs of this machine that workloads may use; all of them unless told otherwise."""
    engine_memory_bytes: int | None = Field(default=None, gt=0)
    engine_devices: str | None = None
    """Accelerators: `gpu:0,gpu:1`, or `gpu:0*4` for one that four workloads may share. Those found unless told."""
    engine_runtime: Literal["auto", "process", "sandbox", "container"] = "auto"
    engine_machines: str | None = None
    """Further machines, declared as a JSON list; what is planned for them runs here."""
    engine_grace_s: float = Field(default=10.0, ge=0)
    """How long a workload that is stopped may take to end by itself."""
    engine_log_bytes: int = Field(default=64 * 1024 * 1024, ge=64 * 1024)
    """How much of the newest output of each node is kept."""
    container_socket: str | None = None
    environments_folder: Path | None = None
    """Where Python environments are made; `environments` in the home unless told otherwise."""
    workload_days: float = Field(default=90, ge=0)
    """Logs and curves of ended workloads are kept this long."""

    ssh_enabled: bool = True
    """Whether environments are reached over SSH, on the port 22 above the first."""

    replica_ports: str = Field(default="30000-31999", pattern=r"^[0-9]{1,5}-[0-9]{1,5}$")
    """Ports that replicas of services listen on, on the machine they run on."""
    replica_ready_s: float = Field(default=600, gt=0)
    """A replica that is not ready so long after its start is given up, and tried again."""
    replica_drain_s: float = Field(default=60, ge=0)
    """How long a replica that is to go may take to answer what it has begun."""
    gateway_host: str | None = None
    """Where services are reached, when not at `host`."""
    gateway_url: str | None = None
    """How callers reach services, when not at http://host and the port 80 above the first."""
    gateway_data_plane: Literal["auto", "embedded", "haproxy"] = "auto"
    """Who takes callers of services in: HAProxy where it is installed (`auto`), or the gateway alone."""
    gateway_access_log: bool = False
    """Whether the gateway writes a line for each call, into `gateway/access.log` in the home."""

    background: bool = True
    """Whether this process runs the background loops."""

    @field_validator("home")
    @classmethod
    def _whole_path(cls, home: Path) -> Path:
        return home.expanduser().absolute()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        del dotenv_settings, file_secret_settings
        given: dict[str, Any] = {**env_settings(), **init_settings()}
        home = Path(given.get("home") or Path.home() / ".tidemill").expanduser()
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, home / SETTINGS_FILE)

    @property
    def effective_database_url(self) -> str:
        return self.database_url or f"sqlite:///{self.home / 'tidemill.db'}"

    @property
    def apps_port(self) -> int:
        return self.port + 1

    @property
    def ssh_port(self) -> int:
        return self.port + 22

    @property
    def gateway_port(self) -> int:
        return self.port + 80

    @property
    def gateway_grpc_port(self) -> int:
        return self.port + 81

    @property
    def store_folder(self) -> Path:
        return self.home / "store"
