/** Code, to read or to write. `text` is what it starts with; give it a new `key` to start again. */
import { Compartment, EditorState, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import { loadLanguageOf } from "./languages";
import { useCodePhrases } from "./phrases";
import { codeSetup, editing, readOnly } from "./setup";
import styles from "./Code.module.css";

interface CodeBoxProps {
  text: string;
  path: string;
  label: string;
  isEditable?: boolean;
  onChange?: (text: string) => void;
  onSave?: () => void;
}

export default function CodeBox({ text, path, label, isEditable = false, onChange, onSave }: CodeBoxProps) {
  const host = useRef<HTMLDivElement>(null);
  const phrases = useCodePhrases();
  const changed = useEffectEvent((next: string) => onChange?.(next));
  const save = useEffectEvent(() => onSave?.());
  const initialText = useEffectEvent(() => text);

  useEffect(() => {
    if (!host.current) return;
    const language = new Compartment();
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: initialText(),
        extensions: [
          codeSetup(path, label, phrases),
          language.of([]),
          isEditable ? editing : readOnly,
          saveKey(() => save()),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.scrollDOM.tabIndex = 0; // scrolled by the arrow keys, also where nothing can be typed
    let isGone = false;
    void loadLanguageOf(path).then((support) => {
      if (support && !isGone) view.dispatch({ effects: language.reconfigure(support) });
    });
    if (isEditable) view.focus();
    return () => {
      isGone = true;
      view.destroy();
    };
  }, [path, label, isEditable, phrases]);

  return <div ref={host} className={`${styles.box} ${styles.coloured}`} />;
}

function saveKey(save: () => void) {
  return Prec.highest(
    keymap.of([
      {
        key: "Mod-s",
        preventDefault: true,
        run: () => {
          save();
          return true;
        },
      },
    ]),
  );
}
