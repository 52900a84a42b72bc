/** Images of the project and the public ones. */
import { CloudDownloadOutlined, DownOutlined, PlusOutlined, UploadOutlined } from "@ant-design/icons";
import { Button, Dropdown, Space, Tabs } from "antd";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import { projectPath, useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { CopyButton } from "@/ui/CopyText";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn, ListFilter } from "@/ui/list/types";
import { PageHeader } from "@/ui/PageHeader";
import { RelativeTime } from "@/ui/RelativeTime";
import { listImages } from "./api";
import { useImageActions } from "./image-actions";
import { ImageJobs } from "./ImageJobs";
import { ImageBadge, KindTag } from "./ImageBadges";
import { PullImageForm } from "./PullImageForm";
import { PushHelp } from "./PushHelp";
import { imagePath, imagesKey } from "./queries";
import type { ImageView } from "./types";
import { UploadImageForm } from "./UploadImageForm";

const PUBLIC = "public";
const IMAGE_STATES = ["ready", "building", "failed", "not_made"] as const;

export default function ImagesPage() {
  const { t } = useTranslation("images");
  const project = useProjectName();
  const [params, setParams] = useSearchParams();
  const canWrite = useProjectPermission(project, "image.write");
  const isPublicTab = project !== PUBLIC && params.get("from") === PUBLIC;
  const [dialog, setDialog] = useState<"upload" | "pull" | "push" | null>(null);
  const create = canWrite && <CreateButtons project={project} onOpen={setDialog} />;
  const close = () => setDialog(null);
  return (
    <>
      <PageHeader title={t("title")} description={t("about")} actions={create} />
      {project !== PUBLIC && (
        <Tabs
          activeKey={isPublicTab ? PUBLIC : "mine"}
          items={[
            { key: "mine", label: t("tab.mine") },
            { key: PUBLIC, label: t("tab.public") },
          ]}
          onChange={(key) => setParams(key === PUBLIC ? { from: PUBLIC } : {})}
        />
      )}
      <ImageJobs project={project} />
      <ImageList key={String(isPublicTab)} from={isPublicTab ? PUBLIC : project} into={project} create={create} />
      {dialog === "upload" && <UploadImageForm project={project} onClose={close} />}
      {dialog === "pull" && <PullImageForm project={project} onClose={close} />}
      {dialog === "push" && <PushHelp project={project} onClose={close} />}
    </>
  );
}

function CreateButtons({ project, onOpen }: { project: string; onOpen: (dialog: "upload" | "pull" | "push") => void }) {
  const { t } = useTranslation("images");
  const navigate = useNavigate();
  const items = [
    { key: "upload", icon: <UploadOutlined aria-hidden />, label: t("upload.action"), onClick: () => onOpen("upload") },
    { key: "pull", icon: <CloudDownloadOutlined aria-hidden />, label: t("pull.action"), onClick: () => onOpen("pull") },
    { key: "push", label: t("push.action"), onClick: () => onOpen("push") },
  ];
  return (
    <Space.Compact>
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => void navigate(projectPath(project, "images", "new"))}>
        {t("python.create")}
      </Button>
      <Dropdown trigger={["click"]} placement="bottomRight" menu={{ items }}>
        <Button type="primary" icon={<DownOutlined aria-hidden />} aria-label={t("otherWays")} />
      </Dropdown>
    </Space.Compact>
  );
}

function ImageList({ from, into, create }: { from: string; into: string; create: ReactNode }) {
  const { t } = useTranslation(["images", "common"]);
  const actionsOf = useImageActions(from);
  const isPublic = from === PUBLIC && into !== PUBLIC;
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        kind: "select",
        key: "kind",
        label: t("kindLabel"),
        options: [
          { value: "python", label: t("kind.python") },
          { value: "oci", label: t("kind.oci") },
        ],
      },
      { kind: "select", key: "state", label: t("common:field.state"), options: IMAGE_STATES.map((state) => ({ value: state, label: t(`state.${state}`) })) },
    ],
    [t],
  );
  return (
    <ListPage<ImageView>
      listKey="images"
      queryKey={imagesKey(from)}
      load={(query) => listImages(from, query)}
      columns={useColumns(from)}
      keyOf={(image) => image.id}
      nameOf={(image) => image.reference}
      filters={filters}
      searchLabel={t("search")}
      defaultSort="-created_at"
      rowActions={actionsOf}
      empty={{ title: isPublic ? t("emptyPublic") : t("empty"), text: isPublic ? undefined : t("emptyText"), action: isPublic ? undefined : create }}
    />
  );
}

function useColumns(project: string): ListColumn<ImageView>[] {
  const { t } = useTranslation(["images", "common"]);
  const format = useFormat();
  return [
    { key: "name", title: t("common:field.name"), sort: "name", render: (image) => <Link to={imagePath(project, image.id)}>{image.reference}</Link> },
    { key: "kind", title: t("kindLabel"), render: (image) => <KindTag kind={image.kind} /> },
    { key: "state", title: t("common:field.state"), render: (image) => <ImageBadge image={image} /> },
    { key: "size", title: t("size"), sort: "size_bytes", align: "right", render: (image) => (image.size_bytes > 0 ? format.bytes(image.size_bytes) : "–") },
    { key: "description", title: t("common:field.description"), render: (image) => image.description || "–" },
    { key: "pull", title: t("pullCommand"), render: (image) => (image.pull_command ? <CopyButton text={image.pull_command} label={t("copyPull")} /> : "–") },
    { key: "by", title: t("common:field.createdBy"), render: (image) => image.created_by },
    { key: "created", title: t("common:field.createdAt"), sort: "created_at", render: (image) => <RelativeTime at={image.created_at} /> },
  ];
}
