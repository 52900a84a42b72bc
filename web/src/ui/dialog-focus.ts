/** The first field of a dialog has the focus: where nothing moves, the dialog takes it after its fields have asked for it. */
import { useRef } from "react";

const FIELDS = 'input:not([type="hidden"], [type="file"], [role="combobox"], [readonly], :disabled), textarea:not(:disabled)';

/** `body` goes around what is in the dialog, `afterOpenChange` to the dialog. */
export function useDialogFocus() {
  const body = useRef<HTMLDivElement>(null);
  const afterOpenChange = (isOpen: boolean) => {
    if (isOpen && !body.current?.contains(document.activeElement)) body.current?.querySelector<HTMLElement>(FIELDS)?.focus();
  };
  return { body, afterOpenChange };
}
