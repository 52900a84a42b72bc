/** Packages, one a line; what is wrong with a line is said under it while it is typed. */
import { Input } from "antd";
import { useTranslation } from "react-i18next";
import { requirementProblems, REQUIREMENTS_SAMPLE } from "./requirements";
import styles from "./Images.module.css";

interface RequirementsInputProps {
  id?: string;
  value?: string;
  onChange?: (text: string) => void;
}

const PROBLEMS_SHOWN = 8;

export function RequirementsInput({ id, value = "", onChange }: RequirementsInputProps) {
  const { t } = useTranslation("images");
  const problems = requirementProblems(value);
  return (
    <>
      <Input.TextArea
        id={id}
        className={styles.requirements}
        value={value}
        spellCheck={false}
        autoSize={{ minRows: 8, maxRows: 24 }}
        placeholder={REQUIREMENTS_SAMPLE}
        aria-describedby={problems.length > 0 ? `${id}-problems` : undefined}
        onChange={(event) => onChange?.(event.target.value)}
      />
      {problems.length > 0 && (
        <ul id={`${id}-problems`} className={styles.problems} aria-live="polite">
          {problems.slice(0, PROBLEMS_SHOWN).map(({ line, text, rule }) => (
            <li key={line}>
              <strong>{t("requirements.line", { line })}</strong> <code>{text}</code> {t(`requirements.rule.${rule}`)}
            </li>
          ))}
          {problems.length > PROBLEMS_SHOWN && <li>{t("requirements.more", { count: problems.length - PROBLEMS_SHOWN })}</li>}
        </ul>
      )}
    </>
  );
}
