import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import type { Value } from "../types";
import styles from "../Models.module.css";

interface Shown {
  name: string;
  title?: string;
  value: Value;
  is_default: boolean;
  reason: string;
}

/** What was chosen, and why; what is otherwise than usual stands out. */
export function ChoiceTable({ choices }: { choices: readonly Shown[] }) {
  const { t } = useTranslation("models");
  const valueText = useValueText();
  return (
    <table className={styles.choices}>
      <thead>
        <tr>
          <th scope="col">{t("choice.parameter")}</th>
          <th scope="col">{t("choice.value")}</th>
          <th scope="col">{t("choice.reason")}</th>
        </tr>
      </thead>
      <tbody>
        {choices.map((choice) => (
          <tr key={choice.name} data-chosen={!choice.is_default || undefined}>
            <td>{choice.title ?? <code>{choice.name}</code>}</td>
            <td>{valueText(choice.value)}</td>
            <td className="tm-muted">{choice.reason || (choice.is_default ? t("choice.usual") : "")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function useValueText(): (value: Value) => string {
  const { t } = useTranslation("models");
  const format = useFormat();
  return (value) => {
    if (typeof value === "boolean") return value ? t("choice.yes") : t("choice.no");
    if (typeof value === "number") return format.compact(value);
    return value === null || value === "" ? "–" : value;
  };
}
