import { Drawer } from "antd";
import { useTranslation } from "react-i18next";
import type { AuditView } from "@/api/types";
import { useFormat } from "@/lib/format";
import { CopyText } from "@/ui/CopyText";
import { Facts } from "@/ui/Facts";
import { changesOf } from "./changes";
import styles from "./Audit.module.css";

/** One entry in full, with what each field was before and after. */
export function AuditDrawer({ entry, onClose }: { entry: AuditView | null; onClose: () => void }) {
  return (
    <Drawer open={entry !== null} onClose={onClose} size={640} title={entry && <code>{entry.action}</code>} destroyOnHidden>
      {entry && <EntryDetail entry={entry} />}
    </Drawer>
  );
}

function EntryDetail({ entry }: { entry: AuditView }) {
  const { t } = useTranslation("audit");
  const format = useFormat();
  return (
    <>
      <Facts
        facts={[
          { key: "at", label: t("when"), value: format.dateTime(entry.at) },
          { key: "actor", label: t("actor"), value: `${entry.actor} · ${t(`kind.${entry.actor_kind}`)}` },
          { key: "target", label: t("targetName"), value: entry.target_name || "–" },
          { key: "id", label: t("targetId"), value: entry.target_id ? <CopyText text={entry.target_id} /> : "–" },
          { key: "project", label: t("project"), value: entry.project ?? "–" },
          { key: "address", label: t("address"), value: entry.address || "–" },
          { key: "request", label: t("request"), value: entry.request_id ? <CopyText text={entry.request_id} /> : "–" },
        ]}
      />
      <Changes entry={entry} />
    </>
  );
}

function Changes({ entry }: { entry: AuditView }) {
  const { t } = useTranslation("audit");
  const changes = changesOf(entry.before ?? null, entry.after ?? null);
  if (changes.length === 0) return <p className={styles.none}>{t("noChanges")}</p>;
  return (
    <table className={styles.changes}>
      <thead>
        <tr>
          <th scope="col">{t("field")}</th>
          <th scope="col">{t("before")}</th>
          <th scope="col">{t("after")}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.field} data-changed={change.isChanged || undefined}>
            <th scope="row">
              <code>{change.field}</code>
            </th>
            <td className={change.isChanged ? styles.before : undefined}>{change.before ?? "–"}</td>
            <td className={change.isChanged ? styles.after : undefined}>{change.after ?? "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
