import { Alert, Tag } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { versionPath } from "@/features/assets/addresses";
import type { KindSegment } from "@/features/assets/kinds";
import { parseRef } from "@/features/workloads/asset-ref";
import { WaitingCard } from "@/features/workloads/WaitingCard";
import { WorkloadTail } from "@/features/workloads/WorkloadTail";
import { useFormat } from "@/lib/format";
import { shellQuote } from "@/lib/shell";
import { CommandLine } from "@/ui/CommandLine";
import { CopyText } from "@/ui/CopyText";
import { Facts, Panel } from "@/ui/Facts";
import type { Fact } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import { PackageBadge } from "./PackageBadge";
import type { PackageVersion } from "./types";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Packages.module.css";

export function PackageOverview({ project, version }: { project: string; version: PackageVersion }) {
  return (
    <>
      {version.state === "failed" && version.error && <Alert className={styles.banner} type="error" showIcon title={version.error.message} description={version.error.hint} />}
      {version.state === "failed" && version.workload_id !== null && <WorkloadTail workload={{ project, id: version.workload_id }} />}
      {version.state === "pending" && version.workload_id !== null && <WaitingCard workload={{ project, id: version.workload_id }} since={version.created_at} />}
      <About version={version} />
      <Recipe project={project} version={version} />
      {version.state === "completed" && <Elsewhere project={project} version={version} />}
    </>
  );
}

function About({ version }: { version: PackageVersion }) {
  const { t } = useTranslation(["packages", "assets", "common"]);
  const format = useFormat();
  const took = version.started_at && version.finished_at ? (Date.parse(version.finished_at) - Date.parse(version.started_at)) / 1000 : null;
  return (
    <Panel title={t("assets:overview.version", { name: version.name })}>
      <Facts
        facts={[
          { key: "state", label: t("common:field.state"), value: <PackageBadge state={version.state} reason={version.error?.message} /> },
          { key: "server", label: t("serverLabel"), value: t(`server.${version.server}`) },
          { key: "protocol", label: t("protocolLabel"), value: t(version.protocol === "v2" ? (version.has_grpc ? "protocol.v2grpc" : "protocol.v2") : "protocol.http") },
          { key: "runtime", label: t("runtimeLabel"), value: t(`runtime.${version.runtime}`) },
          { key: "image", label: t("imageLabel"), value: version.image ?? version.base_image },
          { key: "size", label: t("assets:column.size"), value: format.bytes(version.size_bytes) },
          { key: "creator", label: t("assets:column.creator"), value: version.created_by },
          { key: "created", label: t("assets:column.created"), value: <RelativeTime at={version.created_at} /> },
          { key: "took", label: t("took"), value: took === null ? <span className="tm-muted">–</span> : format.duration(Math.max(1, Math.round(took))) },
          { key: "note", label: t("assets:note.label"), value: version.note || <span className="tm-muted">–</span> },
          { key: "digest", label: t("assets:overview.digest"), value: <CopyText text={version.digest} label={t("copyDigest")} /> },
          { key: "same", label: t("sameAs"), value: version.same_as.length === 0 ? <span className="tm-muted">–</span> : version.same_as.map((name) => <Tag key={name}>{name}</Tag>) },
        ]}
      />
    </Panel>
  );
}

function Recipe({ project, version }: { project: string; version: PackageVersion }) {
  const { t } = useTranslation("packages");
  const { recipe } = version;
  const lines = (key: string, label: string, texts: string[]): Fact[] => (texts.length === 0 ? [] : [{ key, label, value: <pre className={styles.lines}>{texts.join("\n")}</pre> }]);
  const variables = Object.entries(recipe.environment).map(([name, value]) => `${name}=${value}`);
  return (
    <Panel title={t("recipe")}>
      {version.models.length > 0 && (
        <ul className={surfaces.rows} aria-label={t("field.models")}>
          {version.models.map((model) => (
            <li key={model.folder}>
              <AssetRefLink project={project} kind="models" text={model.reference} />
              {model.task && <Tag>{model.task}</Tag>}
              {model.format && <Tag>{model.format}</Tag>}
              <code className="tm-muted">{model.folder}</code>
            </li>
          ))}
        </ul>
      )}
      <Facts
        facts={[
          { key: "algorithm", label: t("field.algorithm"), value: recipe.algorithm ? <AssetRefLink project={project} kind="algorithms" text={recipe.algorithm} /> : t("builtinServer") },
          { key: "image", label: t("field.image"), value: recipe.image ?? t("imageFitting", { image: version.base_image }) },
          { key: "port", label: t("field.port"), value: String(recipe.port) },
          ...lines("requirements", t("field.requirements"), recipe.requirements),
          ...lines("environment", t("field.environment"), variables),
          ...lines("shell", t("field.shell"), recipe.shell_commands),
        ]}
      />
      {version.start && <CommandLine text={version.start} label={t("start")} />}
    </Panel>
  );
}

function AssetRefLink({ project, kind, text }: { project: string; kind: KindSegment; text: string }) {
  const { isPublic, name, version } = parseRef(text);
  if (version === null) return text;
  return <Link to={versionPath({ project: isPublic ? "public" : project, kind, asset: name, version })}>{text}</Link>;
}

/** The same package on another machine. */
function Elsewhere({ project, version }: { project: string; version: PackageVersion }) {
  const { t } = useTranslation("packages");
  return (
    <Panel title={t("export.title")}>
      <p className="tm-muted">{t("export.text")}</p>
      <CommandLine label={t("export.command")} text={`tidemill package export ${shellQuote(version.name)} --project ${shellQuote(project)}`} />
    </Panel>
  );
}
