import { useTranslation } from "react-i18next";

const BROWSERS: [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/python|httpx|tidemill/i, "tidemill"],
  [/curl/i, "curl"],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** A user agent as people would say it: "Firefox on Linux". */
export function useDeviceName(): (userAgent: string) => string {
  const { t } = useTranslation("account");
  return (userAgent) => {
    const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
    const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
    if (browser && system) return t("sessions.deviceName", { browser, system });
    return browser ?? system ?? t("sessions.unknown");
  };
}
