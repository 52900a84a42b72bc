/** What an image is made of, and what runs in it. */
import { Skeleton, Table } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { projectPath } from "@/features/projects/current-project";
import { useKindText } from "@/features/workloads/kind-text";
import { useFormat } from "@/lib/format";
import { CopyButton } from "@/ui/CopyText";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { TableBox } from "@/ui/ScrollBox";
import { contentsQuery } from "./queries";
import { shortDigest } from "./names";
import type { ImageLayer, ImageView } from "./types";
import styles from "./Images.module.css";

export function LayersTab({ project, image }: { project: string; image: ImageView }) {
  const { t } = useTranslation("images");
  const query = useQuery(contentsQuery(project, image.id, image.digest));
  if (query.isPending) return <Skeleton active />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const { layers } = query.data;
  if (layers.length === 0) return <EmptyState title={t("layers.none")} text={t("layers.noneText")} />;
  return (
    <Panel title={t("layers.count", { count: layers.length })}>
      <TableBox label={t("tabs.layers")}>
        <LayerTable layers={layers} />
      </TableBox>
    </Panel>
  );
}

function LayerTable({ layers }: { layers: ImageLayer[] }) {
  const { t } = useTranslation("images");
  const format = useFormat();
  return (
    <Table<ImageLayer>
      size="small"
      // A layer may be in an image twice.
      rowKey={(layer) => `${layers.indexOf(layer)} ${layer.digest}`}
      dataSource={layers}
      pagination={false}
      columns={[
        { key: "number", title: "#", align: "right", width: 48, render: (_value, _layer, index) => format.number(index + 1) },
        {
          key: "digest",
          title: t("digest"),
          render: (_value, layer) => (
            <span className={styles.digest}>
              <code>{shortDigest(layer.digest)}</code> <CopyButton text={layer.digest} />
            </span>
          ),
        },
        { key: "size", title: t("size"), align: "right", render: (_value, layer) => format.bytes(layer.size_bytes) },
        { key: "by", title: t("layers.madeBy"), render: (_value, layer) => (layer.made_by ? <code className={styles.step}>{layer.made_by}</code> : <span className="tm-muted">–</span>) },
      ]}
    />
  );
}

/** What of the project runs in the image now. */
export function UsedBy({ project, image }: { project: string; image: ImageView }) {
  const { t } = useTranslation("images");
  const kindText = useKindText();
  const { data } = useQuery(contentsQuery(project, image.id, image.digest));
  if (!data || data.users.length === 0) return <span className="tm-muted">{data ? t("usedBy.none") : "–"}</span>;
  return data.users.map((user) => (
    <div key={user.id}>
      <Link to={projectPath(project, "workloads", user.id)}>{user.name}</Link> <span className="tm-muted">{kindText(user.kind)}</span>
    </div>
  ));
}

/** The machines a container image is for. */
export function Platforms({ project, image }: { project: string; image: ImageView }) {
  const { data } = useQuery(contentsQuery(project, image.id, image.digest));
  return data?.platforms.join(", ") || "–";
}
