/** What annotators are told: a text, and items that show how it is done well. */
import { Button, Drawer, Input } from "antd";
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { useNotify } from "@/ui/notify";
import { useSession, useSessionState } from "../session/use-session";
import { Thumb } from "./Thumb";
import styles from "../Workbench.module.css";

export function Guidelines({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(["annotate", "common"]);
  const session = useSession();
  const client = useQueryClient();
  const notify = useNotify();
  const key = ["annotate", "guidelines", session.version.id];
  const { data: version = session.version } = useQuery({ queryKey: key, queryFn: () => session.api.version() });
  const [draft, setDraft] = useState<string | null>(null);
  const current = useSessionState((state) => state.doc?.item.seq ?? null);
  const isExample = current !== null && version.examples.includes(current);

  const send = async (work: Promise<void>) => {
    try {
      await work;
      await client.invalidateQueries({ queryKey: key });
      setDraft(null);
    } catch (error) {
      notify.failed(error);
    }
  };
  const toggleExample = () => {
    if (current !== null) void send(session.api.saveExamples(isExample ? version.examples.filter((seq) => seq !== current) : [...version.examples, current]));
  };
  return (
    <Drawer open size={420} title={t("guidelines.title")} onClose={onClose} mask={false}>
      {draft === null ? (
        <>
          {version.guidelines ? (
            <div className={styles.markdown}>
              <Markdown remarkPlugins={[remarkGfm]}>{version.guidelines}</Markdown>
            </div>
          ) : (
            <p className={styles.none}>{t("guidelines.none")}</p>
          )}
          {session.canWrite && <Button size="small" onClick={() => setDraft(version.guidelines)}>{t("common:action.edit")}</Button>}
        </>
      ) : (
        <>
          <Input.TextArea value={draft} autoSize={{ minRows: 8, maxRows: 24 }} aria-label={t("guidelines.title")} placeholder={t("guidelines.placeholder")} onChange={(event) => setDraft(event.target.value)} />
          <div className={styles.buttons}>
            <Button size="small" type="primary" onClick={() => void send(session.api.saveGuidelines(draft))}>{t("common:action.save")}</Button>
            <Button size="small" onClick={() => setDraft(null)}>{t("common:action.cancel")}</Button>
          </div>
        </>
      )}
      <h3 className={styles.panelTitle}>{t("guidelines.examples")}</h3>
      {version.examples.length === 0 && <p className={styles.none}>{t("guidelines.noExamples")}</p>}
      <Examples seqs={version.examples} />
      {session.canWrite && current !== null && <Button size="small" onClick={toggleExample}>{isExample ? t("guidelines.removeExample", { number: current }) : t("guidelines.addExample", { number: current })}</Button>}
    </Drawer>
  );
}

function Examples({ seqs }: { seqs: number[] }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const labels = useSessionState((state) => state.labels);
  const byNumber = useMemo(() => new Map(labels.map((label) => [label.number, label])), [labels]);
  const found = useQueries({ queries: seqs.map((seq) => ({ queryKey: ["annotate", "example", session.version.id, seq], queryFn: () => session.api.item(seq), retry: false })) });
  return (
    <ul className={styles.examples}>
      {found.map(({ data: item }) =>
        item ? (
          <li key={item.seq}>
            <button type="button" className={styles.cellButton} aria-label={t("save.openItem", { number: item.seq })} onClick={() => void session.open(item.seq)}>
              <Thumb item={item} annotations={item.annotations ?? []} labels={byNumber} size={512} />
            </button>
          </li>
        ) : null,
      )}
    </ul>
  );
}
