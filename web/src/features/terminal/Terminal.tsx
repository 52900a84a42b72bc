/** A real terminal in the page: xterm.js on a shell of a node. Loaded only where one is shown. */
import { FitAddon } from "@xterm/addon-fit";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal as Xterm } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useEffectEvent, useRef } from "react";
import { copyText } from "@/lib/clipboard";
import { useThemeMode } from "@/theme/mode";
import { MONO_FONT, terminalColours } from "@/theme/tokens";
import { connect } from "./connection";
import type { Link, LinkState } from "./connection";
import { keyMeaning } from "./keys";
import styles from "./Terminal.module.css";

interface TerminalProps {
  address: string;
  label: string;
  /** What is written into the screen when a broken line has been laid again. */
  newShellText: string;
  onState: (state: LinkState) => void;
  /** Gives the line away, so that the page can try again. */
  onLink: (link: Link) => void;
  onLeave: () => void;
}

const SCROLLBACK_LINES = 10_000;
const FONT_SIZE = 13;

export default function Terminal({ address, label, newShellText, onState, onLink, onLeave }: TerminalProps) {
  const host = useRef<HTMLDivElement>(null);
  const screen = useRef<Xterm | null>(null);
  const mode = useThemeMode();
  const tell = useEffectEvent(onState);
  const give = useEffectEvent(onLink);
  const leave = useEffectEvent(onLeave);
  const colours = useEffectEvent(() => terminalColours(mode));
  const noteText = useEffectEvent(() => newShellText);

  useEffect(() => {
    if (!host.current) return;
    const terminal = new Xterm({
      theme: colours(),
      fontFamily: MONO_FONT,
      fontSize: FONT_SIZE,
      scrollback: SCROLLBACK_LINES,
      cursorBlink: !window.matchMedia("(prefers-reduced-motion: reduce)").matches,
      allowProposedApi: false,
      macOptionIsMeta: true,
    });
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    terminal.loadAddon(new WebLinksAddon());
    terminal.open(host.current);
    terminal.textarea?.setAttribute("aria-label", label);
    screen.current = terminal;

    let wasOpen = false;
    const link = connect({
      address,
      onBytes: (bytes) => terminal.write(bytes),
      onState: (state) => {
        if (state.kind === "open") {
          if (wasOpen) terminal.write(`\r\n\x1b[2m${noteText()}\x1b[0m\r\n`);
          wasOpen = true;
          terminal.focus();
        }
        tell(state);
      },
    });
    terminal.onData((text) => link.send(text));
    terminal.onResize(({ cols, rows }) => link.resize(cols, rows));
    terminal.attachCustomKeyEventHandler((event) => {
      const meaning = keyMeaning(event, terminal.hasSelection());
      if (meaning === null) return true;
      // Pasting is the browser's own: letting the key through to it is all that is needed.
      if (event.type === "keydown" && meaning === "copy") {
        event.preventDefault();
        void copyText(terminal.getSelection());
        terminal.clearSelection();
      }
      if (event.type === "keydown" && meaning === "leave") leave();
      return false;
    });
    const observer = new ResizeObserver(() => fit.fit());
    observer.observe(host.current);
    fit.fit();
    link.resize(terminal.cols, terminal.rows);
    give(link);
    return () => {
      observer.disconnect();
      link.close();
      screen.current = null;
      terminal.dispose();
    };
  }, [address, label]);

  useEffect(() => {
    if (screen.current) screen.current.options.theme = terminalColours(mode);
  }, [mode]);

  return <div ref={host} className={styles.screen} />;
}
