import { useEffect, useRef } from "react";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { useThemeMode } from "@/theme/mode";
import { workbenchColours } from "@/theme/tokens";
import { useNotify } from "@/ui/notify";
import { useSession, useSessionState } from "../session/use-session";
import { CanvasLink } from "./canvas";
import styles from "../Workbench.module.css";

/** The picture with everything drawn on it. */
export function PictureView({ linkRef }: { linkRef: RefObject<CanvasLink | null> }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const notify = useNotify();
  const mode = useThemeMode();
  const root = useRef<HTMLDivElement>(null);
  const colours = useRef(workbenchColours(mode));
  const told = useRef(notify);
  const name = useSessionState((state) => state.doc?.item.path ?? "");
  const count = useSessionState((state) => state.doc?.annotations.length ?? 0);

  useEffect(() => {
    told.current = notify;
  }, [notify]);
  useEffect(() => {
    if (!root.current) return;
    const made = new CanvasLink(root.current, session, () => colours.current, { failed: (error) => told.current.failed(error) });
    linkRef.current = made;
    // The benchmark and the tests find the canvas through its element.
    Object.assign(root.current, { stage: made.stage });
    return () => {
      linkRef.current = null;
      made.close();
    };
  }, [session, linkRef]);
  useEffect(() => {
    colours.current = workbenchColours(mode);
    linkRef.current?.recoloured();
  }, [mode, linkRef]);
  // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a canvas worked on by pointer and keys takes the focus
  return <div ref={root} className={styles.canvas} tabIndex={0} role="application" aria-label={t("canvas", { name, count })} data-testid="canvas" />;
}
