import type { FormInstance } from "antd";
import { useState } from "react";
import { ApiFailure } from "@/api/failure";
import { useFailureText } from "../failure-text";
import type { FailureText } from "../failure-text";

/** Submits a form; what the server refuses is shown at its field, and what has no field here above the buttons. */
export function useFormSubmit<V extends object>(form: FormInstance<V>, onSubmit: (values: V) => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<FailureText | null>(null);
  const failureText = useFailureText();

  const submit = async (values: V): Promise<boolean> => {
    setBusy(true);
    setProblem(null);
    try {
      await onSubmit(values);
      return true;
    } catch (error) {
      const isPlaced = placeAtFields(form, error);
      const told = failureText(error);
      // A way out has no place beside a field.
      setProblem(isPlaced && !told.link ? null : told);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { submit, isBusy, problem, clearProblem: () => setProblem(null) };
}

/** True when every refusal found its field. */
function placeAtFields<V extends object>(form: FormInstance<V>, error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return false;
  const known = new Map(form.getFieldsError().map((field) => [field.name.join("."), field.name]));
  const refusals = error.fields;
  const placed = refusals.flatMap(({ field, message }) => {
    const name = nearest(known, field);
    return name ? [{ name, errors: [message] }] : [];
  });
  // Names come from the form itself, so they are paths of V even though the type is only known to the form.
  form.setFields(placed as Parameters<typeof form.setFields>[0]);
  const first = placed[0];
  if (first) form.scrollToField(first.name as never, { focus: true, block: "center" });
  return refusals.length > 0 && placed.length === refusals.length;
}

/** The field itself, or the one it is a part of: `models.0` is told at `models` where the form has one field for all. */
function nearest<T>(known: Map<string, T>, field: string): T | undefined {
  const parts = field.split(".");
  while (parts.length > 0) {
    const found = known.get(parts.join("."));
    if (found !== undefined) return found;
    parts.pop();
  }
  return undefined;
}
