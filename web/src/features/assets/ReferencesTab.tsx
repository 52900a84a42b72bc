import { useQuery } from "@tanstack/react-query";
import { Table } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { refOf } from "./asset-actions";
import { isAssetKind } from "./kinds";
import { referencesQuery } from "./queries";
import type { AssetView, ReferenceView } from "./types";
import surfaces from "@/ui/Surfaces.module.css";

/** What was made from this asset, and so keeps it from being deleted. */
export function ReferencesTab({ asset }: { asset: AssetView }) {
  const { t } = useTranslation(["assets", "common"]);
  const references = useQuery(referencesQuery(refOf(asset)));
  if (references.isPending) return <Loading />;
  if (references.isError) return <ErrorState error={references.error} onRetry={() => void references.refetch()} />;
  const { items } = references.data;
  if (items.length === 0) return <EmptyState title={t("refers.none")} text={t("refers.noneText")} />;
  return (
    <div className={surfaces.box}>
      <Table<ReferenceView>
        size="middle"
        rowKey={(row) => `${row.id} ${row.relation}`}
        dataSource={items}
        pagination={items.length > 50 ? { pageSize: 50 } : false}
        scroll={{ x: "max-content" }}
        columns={[
          { key: "kind", title: t("refers.kind"), render: (_, row) => (isAssetKind(row.kind) ? t(`${row.kind}.one`) : row.kind) },
          { key: "name", title: t("common:field.name"), render: (_, row) => <ReferenceName row={row} /> },
          { key: "project", title: t("refers.project"), render: (_, row) => row.project ?? <span className="tm-muted">–</span> },
          { key: "relation", title: t("refers.relation"), render: (_, row) => t(`relation.${row.relation}`) },
        ]}
      />
    </div>
  );
}

function ReferenceName({ row }: { row: ReferenceView }) {
  const { t } = useTranslation(["assets", "common"]);
  if (row.name === null) return <span className="tm-muted">{t("refers.hidden")}</span>;
  const name = row.version === null ? row.name : `${row.name}@${row.version}`;
  return row.link ? <Link to={row.link}>{name}</Link> : name;
}
