"""Settings from the command line, the environment and the home's `tidemill.toml`; what is wrong is said by name."""

import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import SettingsError

from tidemill.kernel.i18n import Language
from tidemill.kernel.settings import SETTINGS_FILE, Settings
from tidemill.kernel.web import describe_broken_rule
from tidemill.server.cannot_start import CannotStart


def load_settings(language: Language, **given: Any) -> Settings:
    """The settings; those given (and not None) win over the environment, and the environment over the file."""
    known = {name: value for name, value in given.items() if value is not None}
    try:
        settings = Settings(**known)
    except ValidationError as error:
        broken = describe_broken_rule(error.errors()[0], language)
        setting = broken["field"].partition(".")[0]
        variable = f"TIDEMILL_{setting.upper()}"
        raise CannotStart("up_setting", reason=broken["message"], setting=setting, variable=variable) from None
    except (SettingsError, ValueError, OSError) as error:
        raise CannotStart("up_settings_file", reason=error) from None
    _refuse_unknown(settings.home / SETTINGS_FILE)
    return settings


def _refuse_unknown(file: Path) -> None:
    """A misspelt setting would otherwise be ignored in silence."""
    if not file.is_file():
        return
    unknown = sorted(tomllib.loads(file.read_text("utf-8")).keys() - Settings.model_fields.keys())
    if unknown:
        raise CannotStart("up_setting_unknown", file=file, setting=unknown[0])
