/** Texts in the user's language: the profile's, else the last one chosen here, else the browser's. */
import dayjs from "dayjs";
import "dayjs/locale/zh-cn";
import i18next from "i18next";
import { useSyncExternalStore } from "react";
import { initReactI18next } from "react-i18next";
import { readSaved, save } from "@/lib/saved";

export const LANGUAGES = { "zh-CN": "简体中文", en: "English" } as const;
export type Language = keyof typeof LANGUAGES;
/** The last minute. What `Intl` says of it (“now”) reads like a switch, not like a time. */
export const JUST_NOW: Record<Language, string> = { "zh-CN": "刚刚", en: "just now" };

const KEY = "language";
const loaders = { "zh-CN": () => import("./zh-CN"), en: () => import("./en") };

export async function startTexts(): Promise<void> {
  const language = parseLanguage(readSaved(KEY)) ?? browserLanguage();
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: (await loaders[language]()).default },
    defaultNS: "common",
    interpolation: { escapeValue: false },
    returnNull: false,
    showSupportNotice: false, // its advertisement in the console
  });
  describePage(language);
}

export async function setLanguage(language: Language): Promise<void> {
  save(KEY, language);
  if (language === currentLanguage()) return;
  await loadLanguage(language);
  await i18next.changeLanguage(language);
  describePage(language);
}

export function currentLanguage(): Language {
  return parseLanguage(i18next.language) ?? browserLanguage();
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, currentLanguage);
}

export function parseLanguage(value: string | null | undefined): Language | null {
  return value === "zh-CN" || value === "en" ? value : null;
}

async function loadLanguage(language: Language): Promise<void> {
  if (i18next.hasResourceBundle(language, "common")) return;
  const { default: bundles } = await loaders[language]();
  for (const [namespace, texts] of Object.entries(bundles)) i18next.addResourceBundle(language, namespace, texts);
}

function subscribe(listener: () => void): () => void {
  i18next.on("languageChanged", listener);
  return () => i18next.off("languageChanged", listener);
}

function browserLanguage(): Language {
  return navigator.language.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}

function describePage(language: Language): void {
  document.documentElement.lang = language;
  dayjs.locale(language.toLowerCase()); // names of months and days in date pickers
  document.title = i18next.t("shell:product");
}
