/** Data comes into a draft: from where, in which format, and what becomes of what is there already. */
import { useQuery } from "@tanstack/react-query";
import { Collapse, Form, InputNumber, Radio, Select, Skeleton, Switch, Input } from "antd";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { uploads } from "@/features/files/upload/uploads";
import { useProjectName } from "@/features/projects/current-project";
import { ErrorState } from "@/ui/ErrorState";
import { FieldGroup, MakePage } from "@/ui/MakePage";
import { useNotify } from "@/ui/notify";
import { datasetVersionPath } from "../addresses";
import { datasetQuery, useDatasetRefresh } from "../queries";
import type { DatasetVersionRef } from "../types";
import { createImport } from "../works/api";
import { importCommand } from "../works/commands";
import { readerOptions } from "../works/format-options";
import { OptionFields } from "../works/OptionFields";
import { FormatField, Samples } from "./FormatField";
import { FRAMES, hasFormat, importBody, newImport } from "./import-values";
import type { Frames, From, ImportValues } from "./import-values";
import { keepBody } from "./kept-bodies";
import { SourceFields } from "./SourceFields";
import styles from "../works/Works.module.css";

export default function ImportMakePage() {
  const { dataset = "", version = "" } = useParams();
  const project = useProjectName();
  const ref = { project, dataset, version: Number(version) };
  const found = useQuery(datasetQuery(ref));
  if (found.isPending) return <Skeleton active paragraph={{ rows: 10 }} />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  return <ImportForm of={ref} dataType={found.data.data_type} />;
}

function ImportForm({ of, dataType }: { of: DatasetVersionRef; dataType: string }) {
  const { t } = useTranslation("datasets");
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useDatasetRefresh();
  const [form] = Form.useForm<ImportValues>();
  const imports = `${datasetVersionPath(of)}?tab=imports`;

  const start = async (values: ImportValues) => {
    if (values.from === "upload" && values.source.files) {
      const place = { title: `${of.dataset}@${of.version}`, link: imports };
      uploads.addFiles(of.project, place, values.source.files, async (files, signal) => {
        const body = importBody(values, files);
        keepBody(await createImport(of, body, signal), body);
        await refresh.version(of);
      });
      notify.done(t("imports.sending"));
      await navigate(imports);
      return;
    }
    const body = importBody(values);
    const made = await createImport(of, body);
    keepBody(made, body);
    await refresh.version(of);
    await navigate(datasetVersionPath(of, "imports", made.id));
  };
  return (
    <MakePage<ImportValues>
      title={t("imports.title", { name: `${of.dataset}@${of.version}` })}
      form={form}
      initialValues={newImport(dataType)}
      submitText={t("imports.submit")}
      onSubmit={start}
      onCancel={() => void navigate(datasetVersionPath(of))}
      summary={(values) => <Summary values={values} />}
      command={(values) => importCommand(of, values)}
    >
      <FieldGroup title={t("imports.source")} text={t("imports.sourceText")}>
        <SourceFields project={of.project} />
      </FieldGroup>
      <FieldGroup title={t("imports.how")}>
        <FormatFields />
        <Form.Item name="existing" label={t("imports.existing")} required extra={t("imports.existingHint")}>
          <Radio.Group options={(["keep", "merge", "replace"] as const).map((value) => ({ value, label: t(`imports.existingWay.${value}`) }))} />
        </Form.Item>
        {(dataType === "video" || dataType === "image") && <VideoFields />}
        <Form.Item name="folder" label={t("imports.folder")} extra={t("imports.folderHint")}>
          <Input autoComplete="off" maxLength={400} placeholder={t("imports.folderNone")} />
        </Form.Item>
        <Form.Item name="dryRun" label={t("imports.dryRun")} required valuePropName="checked" extra={t("imports.dryRunHint")}>
          <Switch aria-label={t("imports.dryRun")} />
        </Form.Item>
      </FieldGroup>
      <Collapse items={[{ key: "samples", label: t("imports.samples"), children: <Samples /> }]} />
    </MakePage>
  );
}

/** Rows of a query and items of another version have no format to be read in. */
function FormatFields() {
  const from = Form.useWatch<From>("from");
  const format = Form.useWatch<string | null>("format");
  if (from === undefined || !hasFormat(from)) return null;
  return (
    <>
      <FormatField />
      <OptionFields fields={readerOptions(format)} />
    </>
  );
}

function VideoFields() {
  const { t } = useTranslation("datasets");
  const frames = Form.useWatch<Frames>("frames") ?? "whole";
  return (
    <div className={styles.row}>
      <Form.Item name="frames" label={t("imports.video")} required extra={t(`imports.framesHint.${frames}`)}>
        <Select options={FRAMES.map((value) => ({ value, label: t(`imports.frames.${value}`) }))} />
      </Form.Item>
      {frames !== "whole" && (
        <>
          <Form.Item name="framesValue" label={t(`imports.framesValue.${frames}`)} required rules={[{ required: true, message: t("imports.framesMissing") }]}>
            <InputNumber min={frames === "scene" ? 0.01 : 0.001} max={frames === "scene" ? 0.99 : frames === "fps" ? 240 : 86_400} step={frames === "scene" ? 0.05 : 1} style={{ width: "100%" }} />
          </Form.Item>
          <Form.Item name="maxFrames" label={t("imports.maxFrames")}>
            <InputNumber min={1} max={1_000_000} precision={0} placeholder={t("imports.noLimit")} style={{ width: "100%" }} />
          </Form.Item>
        </>
      )}
    </div>
  );
}

function Summary({ values }: { values: ImportValues }) {
  const { t } = useTranslation("datasets");
  const count = values.source?.files?.files.length ?? 0;
  return (
    <>
      <p>{values.from === "upload" ? t("imports.summary.upload", { count }) : t(`imports.summary.${values.from}`)}</p>
      <p>{values.dryRun ? t("imports.summary.dryRun") : t(`imports.summary.${values.existing ?? "keep"}`)}</p>
    </>
  );
}
