import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useFormat } from "@/lib/format";
import { Panel } from "@/ui/Facts";
import { useNotify } from "@/ui/notify";
import { datasetVersionPath } from "../addresses";
import { useDatasetRefresh } from "../queries";
import type { DatasetVersionRef } from "../types";
import { bringBack } from "../works/api";
import styles from "../works/Works.module.css";

/** Items that take no part: looked at, and brought back all at once. */
export function AsidePanel({ of, count, canChange }: { of: DatasetVersionRef; count: number; canChange: boolean }) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const notify = useNotify();
  const refresh = useDatasetRefresh();
  const [isBusy, setBusy] = useState(false);
  const back = async () => {
    setBusy(true);
    try {
      let changed = 0;
      for (let more = true; more; ) {
        const done = await bringBack(of);
        changed += done.changed;
        more = done.more;
      }
      await refresh.version(of);
      notify.done(t("items.changed", { count: changed }));
    } catch (error) {
      notify.failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel title={t("cleaning.aside")}>
      <div className={styles.inline}>
        <span>{t("cleaning.asideCount", { count, number: format.number(count) })}</span>
        {count > 0 && <Link to={`${datasetVersionPath(of)}?state=aside`}>{t("cleaning.asideShow")}</Link>}
        {count > 0 && canChange && (
          <Button size="small" loading={isBusy} onClick={() => void back()}>
            {t("cleaning.back")}
          </Button>
        )}
      </div>
    </Panel>
  );
}
