/** What every code view and editor has: numbers, folding, search, colours. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import type { Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { extensionOf } from "../paths";

const WRAPPED = new Set(["", "md", "markdown", "txt", "log", "rst", "csv", "tsv", "jsonl"]);

export function codeSetup(path: string, label: string, phrases: Record<string, string>): Extension {
  return [
    lineNumbers(),
    foldGutter(),
    highlightSpecialChars(),
    drawSelection(),
    bracketMatching(),
    highlightSelectionMatches(),
    search({ top: true }),
    syntaxHighlighting(classHighlighter),
    keymap.of([...searchKeymap, ...foldKeymap]),
    EditorState.phrases.of(phrases),
    EditorView.contentAttributes.of({ "aria-label": label }),
    WRAPPED.has(extensionOf(path)) ? EditorView.lineWrapping : [],
  ];
}

export const readOnly: Extension = [EditorState.readOnly.of(true)];

/** Escape, then Tab, leaves the editor: a keyboard user is never caught in it. */
export const editing: Extension = [
  history(),
  indentOnInput(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
];
