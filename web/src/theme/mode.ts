/** Which theme is shown: the user's choice, or the system's when they have made none. */
import { useSyncExternalStore } from "react";
import { readSaved, save } from "@/lib/saved";
import type { ThemeMode } from "./tokens";

export type ThemeChoice = ThemeMode | "system";

const KEY = "theme";
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const systemStill = matchMedia("(prefers-reduced-motion: reduce)");
const listeners = new Set<() => void>();

let choice = parse(readSaved(KEY));

export function setThemeChoice(next: ThemeChoice): void {
  choice = next;
  save(KEY, next);
  listeners.forEach((listener) => listener());
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, () => choice);
}

export function useThemeMode(): ThemeMode {
  return useSyncExternalStore(subscribe, currentMode);
}

export function useReducedMotion(): boolean {
  return useSyncExternalStore(subscribe, () => systemStill.matches);
}

function currentMode(): ThemeMode {
  if (choice !== "system") return choice;
  return systemDark.matches ? "dark" : "light";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  systemDark.addEventListener("change", listener);
  systemStill.addEventListener("change", listener);
  return () => {
    listeners.delete(listener);
    systemDark.removeEventListener("change", listener);
    systemStill.removeEventListener("change", listener);
  };
}

function parse(saved: string | null): ThemeChoice {
  return saved === "light" || saved === "dark" ? saved : "system";
}
