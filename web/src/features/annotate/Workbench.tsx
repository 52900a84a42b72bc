/** The annotation workbench: tools left, labels and objects right, items below, everything by keyboard. */
import type { InputRef } from "antd";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { ErrorState } from "@/ui/ErrorState";
import { useNotify } from "@/ui/notify";
import { ACTIONS, findAction, keyName, labelByKey, readKeys } from "./actions";
import type { ActionId, Hands } from "./actions";
import { withWanted } from "./addresses";
import { isTyping } from "./engine/stage";
import { ClashDialog } from "./panels/ClashDialog";
import { GridView } from "./panels/GridView";
import { Guidelines } from "./panels/Guidelines";
import { HelpDialog } from "./panels/HelpDialog";
import { ItemsBar } from "./panels/ItemsBar";
import { leavesOf } from "./panels/label-tree";
import { LabelPanel } from "./panels/LabelPanel";
import { ObjectPanel } from "./panels/ObjectPanel";
import { StateButtons } from "./panels/StateButtons";
import { Strip } from "./panels/Strip";
import { SuggestionButtons } from "./panels/SuggestionButtons";
import { ToolBar } from "./panels/ToolBar";
import { TopBar } from "./panels/TopBar";
import type { InputNumberRef } from "./panels/TopBar";
import { useItemList, useSession, useSessionState } from "./session/use-session";
import { viewOptions } from "./session/view-options";
import { AudioView } from "./views/AudioView";
import type { SoundHandle } from "./views/AudioView";
import type { CanvasLink } from "./views/canvas";
import { PictureView } from "./views/PictureView";
import { RowView, TextView } from "./views/TextView";
import styles from "./Workbench.module.css";

const ADDRESS_AFTER_MS = 120;

export function Workbench({ dataset, home }: { dataset: string; home: string }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const view = useSessionState((state) => state.view);
  const [keys, setKeys] = useState(readKeys);
  const [opened, setOpened] = useState<"help" | "guidelines" | null>(null);
  const canvas = useRef<CanvasLink | null>(null);
  const sound = useRef<SoundHandle | null>(null);
  const labelSearch = useRef<InputRef>(null);
  const itemSearch = useRef<InputRef>(null);
  const jump = useRef<InputNumberRef>(null);
  const notify = useNotifications();

  const hands = useMemo<Hands>(
    () => ({
      zoom: (factor) => (canvas.current ? canvas.current.stage.zoom(factor) : sound.current?.zoom(factor)),
      fit: () => canvas.current?.stage.fit(),
      actualSize: () => canvas.current?.stage.actualSize(),
      zoomToSelection: () => canvas.current?.zoomToSelection(),
      finish: () => {
        canvas.current?.stage.currentTool()?.finish();
        canvas.current?.stage.noteDraft();
      },
      cancel: () => {
        const had = canvas.current?.stage.currentTool()?.cancel() ?? sound.current?.cancel() ?? false;
        canvas.current?.stage.noteDraft();
        return had;
      },
      back: () => {
        const had = canvas.current?.stage.currentTool()?.back() ?? false;
        canvas.current?.stage.noteDraft();
        return had;
      },
      isDrawing: () => canvas.current?.stage.currentTool()?.isDrawing() ?? false,
      toggle: (option) => viewOptions.set(option === "snap" ? { isSnapping: !viewOptions.get().isSnapping } : option === "tags" ? { hasTags: !viewOptions.get().hasTags } : { hasMagnifier: !viewOptions.get().hasMagnifier }),
      fitBox: () => void canvas.current?.fitBoxes(),
      open: (what) => {
        if (what === "help" || what === "guidelines") setOpened((now) => (now === what ? null : what));
        else (what === "jump" ? jump : what === "labels" ? labelSearch : itemSearch).current?.focus();
      },
      play: () => sound.current?.play(),
      seek: (seconds) => sound.current?.seek(seconds),
      notify,
    }),
    [notify],
  );
  const run = useCallback((id: ActionId) => void ACTIONS.find((action) => action.id === id)?.run(session, hands), [session, hands]);
  useKeyboard(keys, hands, canvas);

  return (
    <div className={styles.bench} data-view={session.kind.view}>
      <TopBar dataset={dataset} home={home} run={run} jumpRef={jump} />
      <ToolBar keys={keys} run={run} />
      <main id="content" className={styles.main} aria-label={t("title")}>
        {view === "grid" ? <GridView /> : <OneView canvas={canvas} sound={sound} />}
      </main>
      <aside className={styles.side}>
        <LabelPanel searchRef={labelSearch} />
        {session.kind.classes === "none" && view === "one" && <ObjectPanel />}
        {view === "one" && <SuggestionButtons keys={keys} run={run} />}
        <StateButtons run={run} />
      </aside>
      <footer className={styles.bottom}>
        <ItemsBar searchRef={itemSearch} />
        {view === "one" && <Strip />}
      </footer>
      {opened === "help" && <HelpDialog keys={keys} onKeys={setKeys} onClose={() => setOpened(null)} />}
      {opened === "guidelines" && <Guidelines onClose={() => setOpened(null)} />}
      <ClashDialog />
      <ItemInAddress />
    </div>
  );
}

function OneView({ canvas, sound }: { canvas: React.RefObject<CanvasLink | null>; sound: React.RefObject<SoundHandle | null> }) {
  const session = useSession();
  const error = useSessionState((state) => state.error);
  if (error) return <ErrorState error={error} />;
  switch (session.kind.view) {
    case "picture":
      return <PictureView linkRef={canvas} />;
    case "audio":
      return <AudioView handle={sound} />;
    case "text":
      return <TextView />;
    case "row":
      return <RowView />;
  }
}

/** Keys go to the tool in use first, then to labels and actions; never while something is being typed or a dialog is open. */
function useKeyboard(keys: ReturnType<typeof readKeys>, hands: Hands, canvas: React.RefObject<CanvasLink | null>): void {
  const session = useSession();
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const key = keyName(event);
      if (!key || event.defaultPrevented || isTyping(event.target) || document.querySelector(".ant-modal-wrap:not([style*='display: none'])")) return;
      if (event.target instanceof HTMLElement && isItsOwn(key, event.target)) return;
      if (handled(key)) event.preventDefault();
    };
    const handled = (key: string): boolean => {
      const { labels } = session.get();
      if (canvas.current?.stage.currentTool()?.key?.(key)) return true;
      const label = labelByKey(key, labels, leavesOf(labels));
      if (label !== null) {
        session.useLabel(label);
        return true;
      }
      const action = findAction(key, session, hands, keys);
      void action?.run(session, hands);
      return action !== null;
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [session, keys, hands, canvas]);
}

/** Buttons, menus and sliders keep the keys they are worked with. */
function isItsOwn(key: string, target: HTMLElement): boolean {
  if (key.startsWith("arrow")) return target.closest("[role='radiogroup'], [role='slider'], [role='menu']") !== null;
  return (key === "enter" || key === " ") && target.closest("button, a, [role='option'], [role='menuitem']") !== null;
}

/** The open item is in the address with what is gone through, so that it can be sent to somebody and survives a reload. */
function ItemInAddress() {
  const session = useSession();
  const seq = useSessionState((state) => state.doc?.item.seq ?? null);
  const list = useItemList();
  const [search, setSearch] = useSearchParams();
  const asked = Number(search.get("item")) || null;
  const written = useRef(asked);
  useEffect(() => {
    const next = seq === null ? null : withWanted(search, list, seq);
    if (next === null || next.toString() === search.toString()) return;
    // The item first, the address when it is on the screen.
    const timer = window.setTimeout(() => {
      written.current = seq;
      setSearch(next, { replace: true });
    }, ADDRESS_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [seq, list, search, setSearch]);
  useEffect(() => {
    // Changed by hand or by a link, not by the item.
    if (asked !== null && asked !== written.current) void session.open(asked);
    written.current = asked;
  }, [asked, session]);
  return null;
}

function useNotifications(): Hands["notify"] {
  const { t } = useTranslation("annotate");
  const notify = useNotify();
  const latest = useRef({ t, notify });
  useEffect(() => {
    latest.current = { t, notify };
  }, [t, notify]);
  return useCallback((what, count = 0) => {
    if (what !== "copied" || count > 0) latest.current.notify.done(latest.current.t(`told.${what}`, { count }));
  }, []);
}
