import { EditOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ModelFactsPanels } from "@/features/models/ModelFactsPanels";
import { useFormat } from "@/lib/format";
import { CommandLine } from "@/ui/CommandLine";
import { CopyText } from "@/ui/CopyText";
import { Facts, Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import { pullCommand, pushCommand } from "./commands";
import { ModelFactsForm } from "./ModelFactsForm";
import { shapeText } from "./shapes";
import { useOriginText, useSceneText } from "./texts";
import type { AssetView, Tensor, VersionView } from "./types";
import { VersionBadge } from "./VersionBadge";
import styles from "./Assets.module.css";

export function OverviewTab({ asset, version, hasModelFacts }: { asset: AssetView; version: VersionView; hasModelFacts: boolean }) {
  const { t } = useTranslation(["assets", "common"]);
  const format = useFormat();
  const originText = useOriginText();
  const sceneText = useSceneText();
  return (
    <>
      {hasModelFacts && <ModelFactsPanels model={{ project: asset.project, model: asset.name, version: version.number }} />}
      <Panel title={t("overview.version", { name: version.name })}>
        <Facts
          facts={[
            { key: "id", label: t("overview.id"), value: <CopyText text={version.id} /> },
            { key: "state", label: t("common:field.state"), value: <VersionBadge state={version.state} /> },
            { key: "origin", label: t("overview.origin"), value: originText(version.origin) },
            { key: "scene", label: t("sceneLabel"), value: sceneText(asset.scene) },
            { key: "files", label: t("overview.files"), value: format.number(version.files) },
            { key: "size", label: t("column.size"), value: format.bytes(version.size_bytes) },
            { key: "creator", label: t("column.creator"), value: version.created_by },
            { key: "created", label: t("column.created"), value: <RelativeTime at={version.created_at} /> },
            { key: "committed", label: t("overview.committed"), value: <RelativeTime at={version.committed_at} /> },
            { key: "note", label: t("note.label"), value: version.note || <span className="tm-muted">–</span> },
            ...(version.digest ? [{ key: "digest", label: t("overview.digest"), value: <CopyText text={version.digest} /> }] : []),
          ]}
        />
      </Panel>
      {hasModelFacts && <ModelFacts asset={asset} version={version} />}
      <Panel title={t("overview.commands")}>
        <div className={styles.columns}>
          <CommandLine label={t("overview.pull")} text={pullCommand(asset.project, asset.kind, asset.name, version.number)} />
          {asset.permissions.includes("write") && <CommandLine label={t("overview.push")} text={pushCommand(asset.project, asset.kind, asset.name)} />}
        </div>
      </Panel>
    </>
  );
}

function ModelFacts({ asset, version }: { asset: AssetView; version: VersionView }) {
  const { t } = useTranslation(["assets", "common"]);
  const [isEditing, setEditing] = useState(false);
  const edit = asset.permissions.includes("write") && (
    <Button size="small" icon={<EditOutlined aria-hidden />} onClick={() => setEditing(true)}>
      {t("common:action.edit")}
    </Button>
  );
  return (
    <>
      <Panel title={t("facts.title")} actions={edit}>
        <Facts facts={[{ key: "format", label: t("facts.format"), value: version.format ?? <span className="tm-muted">{t("facts.noFormat")}</span> }]} />
      </Panel>
      <div className={styles.columns}>
        <Panel title={t("facts.metrics")}>
          <Metrics metrics={version.metrics} />
        </Panel>
        <Panel title={t("facts.signature")}>
          {version.signature ? (
            <>
              <Tensors title={t("facts.inputs")} tensors={version.signature.inputs} />
              <Tensors title={t("facts.outputs")} tensors={version.signature.outputs} />
            </>
          ) : (
            <span className="tm-muted">{t("facts.noSignature")}</span>
          )}
        </Panel>
      </div>
      {isEditing && <ModelFactsForm asset={asset} version={version} onClose={() => setEditing(false)} />}
    </>
  );
}

function Metrics({ metrics }: { metrics: Record<string, number> }) {
  const { t } = useTranslation(["assets", "common"]);
  const format = useFormat();
  const entries = Object.entries(metrics).sort(([a], [b]) => a.localeCompare(b));
  if (entries.length === 0) return <span className="tm-muted">{t("facts.noMetrics")}</span>;
  return (
    <table className={styles.metrics}>
      <tbody>
        {entries.map(([name, value]) => (
          <tr key={name}>
            <td>{name}</td>
            <td>{format.number(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Tensors({ title, tensors = [] }: { title: string; tensors?: Tensor[] }) {
  const { t } = useTranslation(["assets", "common"]);
  if (tensors.length === 0) return null;
  return (
    <table className={styles.metrics}>
      <thead>
        <tr>
          <th>{title}</th>
          <th>{t("facts.type")}</th>
          <th>{t("facts.shape")}</th>
        </tr>
      </thead>
      <tbody>
        {tensors.map((tensor) => (
          <tr key={tensor.name}>
            <td>{tensor.name}</td>
            <td>
              <code>{tensor.type}</code>
            </td>
            <td>
              <code>{shapeText(tensor.shape)}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
