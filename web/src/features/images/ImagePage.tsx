import { Alert, Table, Tag } from "antd";
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
import { describeImage, listImages } from "./api";
import { useImageActions } from "./image-actions";
import { ImageBadge, KindTag } from "./ImageBadges";
import { LayersTab, Platforms, UsedBy } from "./ImageContents";
import { PushSteps } from "./PushHelp";
import { imagePath, imageQuery, imagesKey } from "./queries";
import type { ImageView } from "./types";
import styles from "./Images.module.css";

const VERSIONS_SHOWN = 20;

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
    <ThingPage<ImageView>
      query={useQuery(imageQuery(project, id))}
      render={(image) => ({
        name: image.reference,
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
        description: <DescriptionEdit key={image.id} text={image.description} canEdit={canWrite && !image.builtin} onSave={describe} />,
        actions: <ActionButtons actions={actionsOf(image)} />,
        tabs: [
          { key: "overview", label: t("tabs.overview"), content: <Overview project={project} image={image} /> },
          ...(image.kind === "oci" ? [{ key: "layers", label: t("tabs.layers"), content: <LayersTab project={project} image={image} /> }] : []),
          ...(image.kind === "python" ? [{ key: "packages", label: t("tabs.packages"), content: <Packages image={image} /> }] : []),
          ...(image.kind === "python" && !image.builtin ? [{ key: "log", label: t("tabs.log"), content: <BuildLog project={project} image={image} /> }] : []),
        ],
      })}
    />
  );
}

function Overview({ project, image }: { project: string; image: ImageView }) {
  const { t } = useTranslation(["images", "common"]);
  const format = useFormat();
  return (
    <>
      {image.state === "failed" && image.error && <Alert className={styles.banner} type="error" showIcon title={image.error.message} description={image.error.hint} />}
      <Panel>
        <Facts
          facts={[
            { key: "state", label: t("common:field.state"), value: <ImageBadge image={image} /> },
            { key: "kind", label: t("kindLabel"), value: t(`kind.${image.kind}`) },
            { key: "size", label: t("size"), value: image.size_bytes > 0 ? format.bytes(image.size_bytes) : "–" },
            { key: "by", label: t("common:field.createdBy"), value: image.created_by },
            { key: "at", label: t("common:field.createdAt"), value: <RelativeTime at={image.created_at} /> },
            { key: "versions", label: t("otherVersions"), value: <Versions project={project} image={image} /> },
            ...(image.kind === "oci" ? [{ key: "platforms", label: t("platforms"), value: <Platforms project={project} image={image} /> }] : []),
            { key: "users", label: t("usedBy.title"), value: <UsedBy project={project} image={image} /> },
            { key: "digest", label: t("digest"), value: image.digest ? <CopyText text={image.digest} /> : "–" },
            ...(image.specs.length > 0 ? [{ key: "specs", label: t("specs"), value: image.specs.join(", ") }] : []),
          ]}
        />
      </Panel>
      <Panel title={t("use.title")}>
        <CommandLine label={t("use.task")} text={image.reference} />
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

/** The same image's other versions, newest first. */
function Versions({ project, image }: { project: string; image: ImageView }) {
  const { data } = useQuery({
    queryKey: [...imagesKey(project), "versions", image.name],
    queryFn: () => listImages(project, { q: image.name, sort: "-created_at", limit: VERSIONS_SHOWN, filters: {} }),
  });
  const others = (data?.items ?? []).filter((other) => other.name === image.name && other.id !== image.id);
  if (others.length === 0) return "–";
  return others.map((other) => (
    <Tag key={other.id}>
      <Link to={imagePath(project, other.id)}>{other.version}</Link>
    </Tag>
  ));
}

function Packages({ image }: { image: ImageView }) {
  const { t } = useTranslation("images");
  if (image.packages.length === 0) return <EmptyState title={t("packages.none")} text={t(image.state === "not_made" ? "notMadeText" : "packages.noneText")} />;
  const packages = image.packages.map((one) => one.split("=="));
  return (
    <>
      {image.requirements.length > 0 && (
        <Panel title={t("requirements.label")}>
          <CommandLine text={image.requirements.join("\n")} />
        </Panel>
      )}
      <Panel title={t("packages.count", { count: packages.length })}>
        <Table
          size="small"
          rowKey={([name = ""]) => name}
          pagination={false}
          dataSource={packages}
          columns={[
            { key: "name", title: t("packages.package"), render: (_, [name]) => name },
            { key: "version", title: t("version"), render: (_, [, version]) => version },
          ]}
        />
      </Panel>
    </>
  );
}

/** What the build says, as it says it. */
function BuildLog({ project, image }: { project: string; image: ImageView }) {
  const { t } = useTranslation("images");
  const workload = useQuery({ ...workloadQuery({ project, id: image.workload_id ?? "" }), enabled: image.workload_id !== null });
  if (image.workload_id === null) return <EmptyState title={t("log.none")} text={t("log.noneText")} />;
  if (!workload.data) return workload.isError ? <EmptyState title={t("log.gone")} /> : <Loading />;
  return <WorkloadLogs key={image.workload_id} workload={{ project, id: image.workload_id }} nodes={workload.data.nodes} attempts={workload.data.attempt} />;
}
