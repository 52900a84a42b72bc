import { Table, Tag } from "antd";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams } from "react-router";
import { projectPath, useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { workloadQuery } from "@/features/workloads/queries";
import { WorkloadLogs } from "@/features/workloads/WorkloadLogs";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { CommandLine } from "@/ui/CommandLine";
import { CopyText } from "@/ui/CopyText";
import { DescriptionEdit } from "@/ui/DescriptionEdit";
import { EmptyState } from "@/ui/EmptyState";
import { Facts, Panel } from "@/ui/Facts";
import { Loading } from "@/ui/Loading";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import { describeImage } from "./api";
import { useImageActions } from "./image-actions";
import { ImageBadge, KindTag } from "./ImageBadges";
import { PushSteps } from "./PushHelp";
import { imagePath, imageQuery, imagesKey, imageTitle } from "./queries";
import type { ImageDetail } from "./types";
import styles from "./Images.module.css";

export default function ImagePage() {
  const { t } = useTranslation("images");
  const project = useProjectName();
  const { image: id = "" } = useParams();
  const navigate = useNavigate();
  const client = useQueryClient();
  const canWrite = useProjectPermission(project, "image.write");
  const actionsOf = useImageActions(project, () => void navigate(projectPath(project, "images")));
  const describe = async (text: string) => {
    await describeImage(project, id, text);
    await client.invalidateQueries({ queryKey: imagesKey(project) });
  };
  return (
    <ThingPage<ImageDetail>
      query={useQuery(imageQuery(project, id))}
      render={(image) => ({
        name: imageTitle(image),
        id: image.id,
        badge: (
          <>
            <ImageBadge image={image} />
            <KindTag kind={image.kind} />
          </>
        ),
        facts: (
          <>
            <span>{t("madeBy", { name: image.created_by })}</span>
            <RelativeTime at={image.created_at} />
          </>
        ),
        description: <DescriptionEdit key={image.id} text={image.description} canEdit={canWrite && !image.is_builtin} onSave={describe} />,
        actions: <ActionButtons actions={actionsOf(image)} />,
        tabs: [
          { key: "overview", label: t("tabs.overview"), content: <Overview project={project} image={image} /> },
          image.kind === "python"
            ? { key: "packages", label: t("tabs.packages"), content: <Packages image={image} /> }
            : { key: "layers", label: t("tabs.layers"), content: <Layers image={image} /> },
          ...(image.kind === "python" && !image.is_builtin ? [{ key: "log", label: t("tabs.log"), content: <BuildLog project={project} image={image} /> }] : []),
          { key: "uses", label: t("tabs.uses"), content: <Uses image={image} /> },
        ],
      })}
    />
  );
}

function Overview({ project, image }: { project: string; image: ImageDetail }) {
  const { t } = useTranslation(["images", "common"]);
  const format = useFormat();
  return (
    <>
      <Panel>
        <Facts
          facts={[
            { key: "state", label: t("common:field.state"), value: <ImageBadge image={image} /> },
            { key: "kind", label: t("kindLabel"), value: t(`kind.${image.kind}`) },
            { key: "size", label: t("size"), value: image.size_bytes > 0 ? format.bytes(image.size_bytes) : "–" },
            { key: "by", label: t("common:field.createdBy"), value: image.created_by },
            { key: "at", label: t("common:field.createdAt"), value: <RelativeTime at={image.created_at} /> },
            { key: "versions", label: t("otherVersions"), value: <Versions project={project} image={image} /> },
            { key: "digest", label: t("digest"), value: image.digest ? <CopyText text={image.digest} /> : "–" },
            ...(image.problem ? [{ key: "problem", label: t("problem"), value: image.problem }] : []),
          ]}
        />
      </Panel>
      <Panel title={t("use.title")}>
        <CommandLine label={t("use.task")} text={imageTitle(image)} />
        {image.pull_command && <CommandLine label={t("use.pull")} text={image.pull_command} />}
      </Panel>
      {image.kind === "oci" && (
        <Panel title={t("push.title")}>
          <PushSteps project={project} name={image.name} version={image.version} />
        </Panel>
      )}
    </>
  );
}

function Versions({ project, image }: { project: string; image: ImageDetail }) {
  const others = image.tags.filter((tag) => tag.id !== image.id);
  if (others.length === 0) return "–";
  return others.map((tag) => (
    <Tag key={tag.id}>
      <Link to={imagePath(project, tag.id)}>{tag.version}</Link>
    </Tag>
  ));
}

function Packages({ image }: { image: ImageDetail }) {
  const { t } = useTranslation(["images", "common"]);
  const format = useFormat();
  if (image.packages.length === 0) return <EmptyState title={t("packages.none")} text={t(image.state === "not_made" ? "notMadeText" : "packages.noneText")} />;
  return (
    <>
      {image.requirements.length > 0 && (
        <Panel title={t("requirements.label")}>
          <CommandLine text={image.requirements.join("\n")} />
        </Panel>
      )}
      <Panel title={t("packages.count", { count: image.packages.length })}>
        <Table
          size="small"
          rowKey="name"
          pagination={false}
          dataSource={image.packages}
          columns={[
            { key: "name", dataIndex: "name", title: t("packages.package") },
            { key: "version", dataIndex: "version", title: t("version") },
            { key: "size", title: t("size"), align: "right", render: (_, one) => format.bytes(one.size_bytes) },
          ]}
        />
      </Panel>
    </>
  );
}

function Layers({ image }: { image: ImageDetail }) {
  const { t } = useTranslation("images");
  const format = useFormat();
  return (
    <Panel title={t("layers.count", { count: image.layers.length })}>
      <Table
        size="small"
        rowKey={(layer) => `${layer.digest} ${layer.command}`}
        pagination={false}
        dataSource={image.layers}
        columns={[
          { key: "digest", title: t("digest"), render: (_, layer) => <CopyText text={layer.digest} /> },
          { key: "size", title: t("size"), align: "right", width: 110, render: (_, layer) => format.bytes(layer.size_bytes) },
        ]}
      />
    </Panel>
  );
}

/** What the build says, as it says it. */
function BuildLog({ project, image }: { project: string; image: ImageDetail }) {
  const { t } = useTranslation("images");
  const workload = useQuery({ ...workloadQuery({ project, id: image.workload_id ?? "" }), enabled: image.workload_id !== null });
  if (image.workload_id === null) return <EmptyState title={t("log.none")} text={t("log.noneText")} />;
  if (!workload.data) return workload.isError ? <EmptyState title={t("log.gone")} /> : <Loading />;
  return <WorkloadLogs key={image.workload_id} workload={{ project, id: image.workload_id }} nodes={workload.data.nodes} />;
}

function Uses({ image }: { image: ImageDetail }) {
  const { t } = useTranslation(["images", "common"]);
  if (image.used_by.length === 0) return <EmptyState title={t("uses.none")} text={t("uses.noneText")} />;
  return (
    <Panel>
      <ul className={styles.uses}>
        {image.used_by.map((user) => (
          <li key={user.id}>
            {user.name} <span className="tm-muted">{user.kind}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
