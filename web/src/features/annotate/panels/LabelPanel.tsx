import { CheckOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Input } from "antd";
import type { InputRef } from "antd";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNotify } from "@/ui/notify";
import { Certainty } from "@/features/auto/Certainty";
import { isSuggestion } from "../model/suggestions";
import type { Annotation, Label } from "../model/types";
import { useSession, useSessionState } from "../session/use-session";
import { labelRows, leavesOf } from "./label-tree";
import { keyText } from "./key-text";
import { letGo } from "./let-go";
import styles from "../Workbench.module.css";

/** The version's labels: the one in hand, or those the whole item has. */
export function LabelPanel({ searchRef }: { searchRef: React.RefObject<InputRef | null> }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const labels = useSessionState((state) => state.labels);
  const active = useSessionState((state) => state.activeLabel);
  const counted = useSessionState((state) => countsText(state.doc?.annotations ?? NONE));
  const wanted = useSessionState((state) => state.labelWanted);
  const [search, setSearch] = useState("");
  const box = useRef<HTMLElement>(null);
  const isClasses = session.kind.classes !== "none";
  const rows = labelRows(labels, search);
  const leaves = useMemo(() => leavesOf(labels), [labels]);
  const counts = useMemo(() => new Map(JSON.parse(counted) as [number, number][]), [counted]);
  const proposed = useSessionState((state) => (isClasses ? scoresText(state.doc?.annotations ?? NONE) : NO_SCORES));
  const scores = useMemo(() => new Map(JSON.parse(proposed) as [number, number][]), [proposed]);

  useEffect(() => {
    if (wanted > 0) searchRef.current?.focus();
  }, [wanted, searchRef]);

  const take = (label: Label) => {
    session.useLabel(label.number);
    setSearch("");
  };
  return (
    <section ref={box} className={styles.labels} aria-label={isClasses ? t("classes") : t("labels")}>
      <h2 className={styles.panelTitle}>
        {isClasses ? t(session.kind.classes === "one" ? "chooseOne" : "chooseSeveral") : t("labels")}
      </h2>
      <Input
        ref={searchRef}
        size="small"
        allowClear
        value={search}
        placeholder={t("findLabel")}
        aria-label={t("findLabel")}
        status={wanted > 0 && active === null ? "warning" : undefined}
        onChange={(event) => setSearch(event.target.value)}
        onPressEnter={() => {
          const first = rows.find((row) => row.isLeaf);
          if (first) {
            take(first.label);
            searchRef.current?.blur();
          }
        }}
        onKeyDown={(event) => event.key === "Escape" && searchRef.current?.blur()}
      />
      <ul className={styles.labelList}>
        {rows.map(({ label, depth, isLeaf }) =>
          isLeaf ? (
            <li key={label.number}>
              <button type="button" className={styles.label} data-depth={depth} data-suggested={scores.has(label.number) || undefined} aria-pressed={isClasses ? counts.has(label.number) && !scores.has(label.number) : active === label.number} onClick={(event) => {
                letGo(event);
                take(label);
              }}>
                <span className={styles.swatch} style={{ background: label.colour }} aria-hidden="true" />
                <span className={styles.labelName}>{label.name}</span>
                {counts.has(label.number) && !isClasses && <span className={styles.count}>{counts.get(label.number)}</span>}
                {isClasses && counts.has(label.number) && (scores.has(label.number) ? <Certainty value={scores.get(label.number) ?? null} /> : <CheckOutlined aria-hidden />)}
                <KeyHint label={label} place={leaves.indexOf(label.number)} />
              </button>
            </li>
          ) : (
            <li key={label.number} className={styles.parent}>
              <span className={styles.swatch} style={{ background: label.colour }} aria-hidden="true" />
              {label.name}
            </li>
          ),
        )}
        {rows.length === 0 && <li className={styles.none}>{labels.length === 0 ? t("noLabels") : t("noLabelFound")}</li>}
      </ul>
      {session.canWrite && search.trim() !== "" && !labels.some((label) => label.name === search.trim()) && <AddLabel name={search.trim()} onAdded={take} />}
    </section>
  );
}

function KeyHint({ label, place }: { label: Label; place: number }) {
  const key = label.shortcut ?? (place >= 0 && place < 10 ? String((place + 1) % 10) : null);
  return key ? <kbd className={styles.key}>{keyText(key.toLowerCase())}</kbd> : null;
}

function AddLabel({ name, onAdded }: { name: string; onAdded: (label: Label) => void }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const notify = useNotify();
  const [isBusy, setBusy] = useState(false);
  const add = async () => {
    setBusy(true);
    try {
      const label = await session.api.addLabel(name, null);
      session.setLabels(await session.api.labels());
      onAdded(label);
    } catch (error) {
      notify.failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button size="small" type="dashed" block loading={isBusy} icon={<PlusOutlined aria-hidden />} onClick={() => void add()}>
      {t("addLabel", { name })}
    </Button>
  );
}

const NONE: readonly Annotation[] = [];
const NO_SCORES = "[]";

/** How sure a model is of the labels it proposes, in one word for the same reason as below. */
function scoresText(annotations: readonly Annotation[]): string {
  return JSON.stringify(annotations.filter((one) => isSuggestion(one) && one.label !== undefined).map((one) => [one.label, one.score]));
}
const texts = new WeakMap<readonly Annotation[], string>();

/** How often each label is used, in one word that stays the same while that does: moving a shape draws no label again. */
function countsText(annotations: readonly Annotation[]): string {
  const known = texts.get(annotations) ?? JSON.stringify([...countsOf(annotations)]);
  texts.set(annotations, known);
  return known;
}

function countsOf(annotations: readonly { label?: number }[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { label } of annotations) if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}
