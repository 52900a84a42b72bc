/** Labelled items a model has reason to doubt, the likeliest mistakes first: to be fixed, or fine as they are. */
import { CheckOutlined, HighlightOutlined } from "@ant-design/icons";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button, Segmented } from "antd";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { annotatePath } from "@/features/annotate/addresses";
import { refOf } from "@/features/datasets/dataset-actions";
import { labelsQuery } from "@/features/datasets/queries";
import type { DatasetVersionRef, DatasetVersionView, DatasetView, Labels } from "@/features/datasets/types";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { useAddress } from "@/ui/address";
import { Loading } from "@/ui/Loading";
import { useNotify } from "@/ui/notify";
import { dismissLabelErrors, listLabelErrors } from "./api";
import { ErrorPicture } from "./ErrorPicture";
import { labelErrorsKey } from "./queries";
import type { ErrorKind, LabelError, LabelName } from "./types";
import styles from "./Auto.module.css";

const PAGE = 24;
const KINDS: ErrorKind[] = ["class", "missing", "extra"];

export function LabelErrorsTab({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation(["auto", "common"]);
  const format = useFormat();
  const [params, changeAddress] = useAddress();
  const of = { ...refOf(dataset), version: version.number };
  const kind = KINDS.find((one) => one === params.get("kind"));
  const labels = useQuery(labelsQuery(of));
  const byNumber = useMemo(() => new Map((labels.data?.items ?? []).map((label) => [label.number, label])), [labels.data]);
  const query = useInfiniteQuery({
    queryKey: [...labelErrorsKey(of), kind ?? "all"],
    queryFn: ({ pageParam }) => listLabelErrors(of, { kind, limit: PAGE, cursor: pageParam ?? undefined }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next ?? null,
  });
  const errors = query.data?.pages.flatMap((page) => page.items) ?? [];
  const total = query.data?.pages[0]?.total ?? 0;
  return (
    <>
      <div className={styles.errorsHead}>
        <p className="tm-muted">{t("errors.about")}</p>
        <Segmented<ErrorKind | "all">
          aria-label={t("errors.kindLabel")}
          value={kind ?? "all"}
          options={(["all", ...KINDS] as const).map((value) => ({ value, label: t(`errors.kind.${value}`) }))}
          onChange={(next) => changeAddress({ kind: next === "all" ? null : next })}
        />
      </div>
      {query.isPending && <Loading />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && errors.length === 0 && <EmptyState title={t("errors.none")} text={t("errors.noneText")} />}
      {errors.length > 0 && (
        <>
          <ul className={styles.errors} aria-label={t("errors.tab")}>
            {errors.map((error) => (
              <ErrorCard key={`${error.seq}/${error.kind}`} of={of} error={error} labels={byNumber} canDecide={version.can_annotate && version.work === "draft"} order={errors.map(({ seq }) => seq)} />
            ))}
          </ul>
          <div className={styles.foot}>
            <span>{t("common:list.shown", { shown: format.number(errors.length), total: format.number(total) })}</span>
            {query.hasNextPage && (
              <Button size="small" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {t("common:list.more")}
              </Button>
            )}
          </div>
        </>
      )}
    </>
  );
}

interface ErrorCardProps {
  of: DatasetVersionRef;
  error: LabelError;
  labels: Labels;
  canDecide: boolean;
  /** The list as it is: the workbench goes through it. */
  order: number[];
}

/** So many items are gone through from here on. */
const THROUGH = 50;

function ErrorCard({ of, error, labels, canDecide, order }: ErrorCardProps) {
  const { t } = useTranslation("auto");
  const format = useFormat();
  const client = useQueryClient();
  const notify = useNotify();
  const seqs = [...new Set(order.slice(order.indexOf(error.seq)))].slice(0, THROUGH);
  const dismiss = async () => {
    try {
      await dismissLabelErrors(of, [error.seq]);
      await client.invalidateQueries({ queryKey: labelErrorsKey(of) });
    } catch (failure) {
      notify.failed(failure);
    }
  };
  return (
    <li className={styles.error}>
      <ErrorPicture of={of} error={error} labels={labels} />
      <div className={styles.errorText}>
        <strong>{t(`errors.what.${error.kind}`)}</strong>
        <dl>
          <dt>{t("errors.given")}</dt>
          <dd>
            <Name label={error.given} labels={labels} />
          </dd>
          <dt>{t("errors.predicted")}</dt>
          <dd>
            <Name label={error.predicted} labels={labels} /> <span className="tm-muted">{format.percent(Math.round(error.score * 100) / 100)}</span>
          </dd>
        </dl>
        <span className={styles.errorPath} title={error.path}>
          {error.path}
        </span>
        <div className={styles.errorActions}>
          <Link to={annotatePath(of.project, of.dataset, of.version, error.seq, { items: seqs })}>
            <Button size="small" type="primary" icon={<HighlightOutlined aria-hidden />} tabIndex={-1}>
              {canDecide ? t("errors.fix") : t("errors.look")}
            </Button>
          </Link>
          {canDecide && (
            <Button size="small" icon={<CheckOutlined aria-hidden />} onClick={() => void dismiss()} aria-label={t("errors.dismissName", { name: error.path })}>
              {t("errors.dismiss")}
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}

function Name({ label, labels }: { label: LabelName | null; labels: Labels }) {
  const { t } = useTranslation("auto");
  if (!label) return <span className="tm-muted">{t("errors.nothing")}</span>;
  return (
    <span className={styles.targetOption}>
      <i style={{ background: labels.get(label.number)?.colour }} aria-hidden="true" />
      {label.name}
    </span>
  );
}
