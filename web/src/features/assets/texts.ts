import { useTranslation } from "react-i18next";
import type { VersionView } from "./types";
import { SCENES } from "./kinds";
import type { Scene } from "./kinds";

export function useSceneText(): (scene: Scene) => string {
  const { t } = useTranslation("assets");
  return (scene) => t(`scene.${scene}`);
}

export function useSceneOptions(): { value: Scene; label: string }[] {
  const text = useSceneText();
  return SCENES.map((scene) => ({ value: scene, label: text(scene) }));
}

export function useOriginText(): (origin: VersionView["origin"]) => string {
  const { t } = useTranslation("assets");
  return (origin) => t(`origin.${origin}`);
}
