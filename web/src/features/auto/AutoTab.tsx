/** What models proposed for this version: how much waits to be decided, and the auto-annotations that were run. */
import { RobotOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { refOf } from "@/features/datasets/dataset-actions";
import type { DatasetVersionView, DatasetView } from "@/features/datasets/types";
import { useWorks } from "@/features/datasets/works/queries";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { autoPath } from "./addresses";
import { listAutos } from "./api";
import { AutoRow } from "./AutoRow";
import { SuggestionsPanel } from "./SuggestionsPanel";
import surfaces from "@/ui/Surfaces.module.css";
import workStyles from "@/features/datasets/works/Works.module.css";

export function AutoTab({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation(["auto", "common", "datasets"]);
  const navigate = useNavigate();
  const of = { ...refOf(dataset), version: version.number };
  const { query, works } = useWorks(of, "auto", (page) => listAutos(of, page));
  const canStart = dataset.permissions.includes("write") && version.work === "draft" && version.items > 0;
  const start = canStart && (
    <Button type="primary" icon={<RobotOutlined aria-hidden />} onClick={() => void navigate(autoPath(of))}>
      {t("action")}
    </Button>
  );
  if (query.isPending) return <Loading />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (works.length === 0 && (version.states.suggested ?? 0) === 0) {
    const why = version.work !== "draft" ? t("onlyDraftsText") : version.items === 0 ? t("datasets:noItemsYet") : t("noneText");
    return <EmptyState title={t("none")} text={why} action={start} />;
  }
  return (
    <>
      <SuggestionsPanel of={of} version={version} />
      <div className={surfaces.box}>
        <div className={`${surfaces.tools} ${workStyles.tools}`}>
          <span className="tm-muted">{t("about")}</span>
          {start}
        </div>
        <ul className={workStyles.list} aria-label={t("tab")}>
          {works.map((work) => (
            <AutoRow key={work.id} of={of} work={work} canWrite={dataset.permissions.includes("write")} onChanged={() => query.refetch()} />
          ))}
        </ul>
        {works.length === 0 && <p className={workStyles.more}>{t("none")}</p>}
        {query.hasNextPage && (
          <div className={workStyles.more}>
            <Button size="small" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {t("common:list.more")}
            </Button>
          </div>
        )}
      </div>
    </>
  );
}
