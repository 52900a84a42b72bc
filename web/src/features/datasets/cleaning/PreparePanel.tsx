/** Preprocessing in its fixed order, each step optional, with a look at before and after. The result is a new draft. */
import { EyeOutlined, PlayCircleOutlined, StopOutlined } from "@ant-design/icons";
import { useMutation } from "@tanstack/react-query";
import { Alert, Button, Checkbox, Form, InputNumber, Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useConfirm } from "@/ui/confirm";
import { useFailureText } from "@/ui/failure-text";
import { Panel } from "@/ui/Facts";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { datasetVersionPath } from "../addresses";
import { useDatasetRefresh } from "../queries";
import type { DatasetVersionRef, PreprocessView, PreviewItem } from "../types";
import { createPreprocess, listPreprocesses, previewPreprocess, stopPreprocess } from "../works/api";
import { isUnderWay } from "../works/news";
import { useWorks } from "../works/queries";
import { WorkProgress, WorkState } from "../works/WorkProgress";
import { NO_STEPS, stepsOf, stepsProblem } from "./step-values";
import type { StepValues } from "./step-values";
import styles from "../works/Works.module.css";

const SIDES = ["left", "top", "right", "bottom"] as const;

interface PreparePanelProps {
  of: DatasetVersionRef;
  canWrite: boolean;
  /** Before and after of a few items. */
  onPreview: (items: PreviewItem[]) => void;
}

export function PreparePanel({ of, canWrite, onPreview }: PreparePanelProps) {
  const { t } = useTranslation("datasets");
  const confirm = useConfirm();
  const refresh = useDatasetRefresh();
  const failureText = useFailureText();
  const [values, setValues] = useState<StepValues>(NO_STEPS);
  const { query, works } = useWorks(of, "preprocess", (page) => listPreprocesses(of, page));
  const preview = useMutation({ mutationFn: () => previewPreprocess(of, stepsOf(values)), onSuccess: ({ items }) => onPreview(items) });
  const problem = stepsProblem(values);
  const start = () =>
    confirm({
      title: t("prepare.startTitle"),
      text: t("prepare.startText"),
      okText: t("prepare.start"),
      isDanger: false,
      onConfirm: async () => {
        await createPreprocess(of, stepsOf(values), "");
        await Promise.all([query.refetch(), refresh.dataset(of)]);
      },
    });
  return (
    <Panel title={t("prepare.title")}>
      <p className="tm-muted" style={{ marginBottom: 12 }}>
        {t("prepare.text")}
      </p>
      <StepFields values={values} onChange={(changes) => setValues({ ...values, ...changes })} />
      <div className={styles.inline} style={{ margin: "16px 0" }}>
        <Button icon={<EyeOutlined aria-hidden />} loading={preview.isPending} disabled={problem !== null} onClick={() => preview.mutate()}>
          {t("prepare.preview")}
        </Button>
        {canWrite && (
          <Button type="primary" icon={<PlayCircleOutlined aria-hidden />} disabled={problem !== null} onClick={start}>
            {t("prepare.start")}
          </Button>
        )}
        {problem && <span className="tm-muted">{t(`prepare.problem.${problem}`)}</span>}
      </div>
      {preview.error && <Alert type="error" showIcon title={failureText(preview.error).title} description={failureText(preview.error).text} style={{ marginBottom: 12 }} />}
      <ul className={styles.list}>
        {works.map((work) => (
          <WorkRow key={work.id} of={of} work={work} canWrite={canWrite} onChanged={() => query.refetch()} />
        ))}
      </ul>
    </Panel>
  );
}

function StepFields({ values, onChange }: { values: StepValues; onChange: (changes: Partial<StepValues>) => void }) {
  const { t } = useTranslation("datasets");
  return (
    <Form component={false}>
      <div className={styles.step}>
        <Checkbox checked={values.dropsBlurred} onChange={(event) => onChange({ dropsBlurred: event.target.checked })}>
          {t("prepare.step.blurred")}
        </Checkbox>
        {values.dropsBlurred && <InputNumber aria-label={t("cleaning.threshold")} prefix={t("prepare.sharpAtLeast")} style={{ width: 190 }} min={0} max={5000} value={values.threshold} onChange={(threshold) => onChange({ threshold })} />}
      </div>
      <div className={styles.step}>
        <Checkbox checked={values.crops} onChange={(event) => onChange({ crops: event.target.checked })}>
          {t("prepare.step.crop")}
        </Checkbox>
        {values.crops &&
          SIDES.map((side) => (
            <InputNumber key={side} style={{ width: 130 }} aria-label={t(`prepare.side.${side}`)} prefix={t(`prepare.side.${side}`)} suffix="%" min={0} max={99} value={values.crop[side]} onChange={(percent) => onChange({ crop: { ...values.crop, [side]: percent } })} />
          ))}
      </div>
      <div className={styles.step}>
        <Checkbox checked={values.degrees !== 0} onChange={(event) => onChange({ degrees: event.target.checked ? 90 : 0 })}>
          {t("prepare.step.rotate")}
        </Checkbox>
        {values.degrees !== 0 && <Select<StepValues["degrees"]> aria-label={t("prepare.step.rotate")} style={{ width: 180 }} value={values.degrees} options={([90, 180, 270] as const).map((value) => ({ value, label: t("prepare.clockwise", { value }) }))} onChange={(degrees) => onChange({ degrees })} />}
      </div>
      <div className={styles.step}>
        <Checkbox checked={values.mirrorsHorizontally} onChange={(event) => onChange({ mirrorsHorizontally: event.target.checked })}>
          {t("prepare.step.mirrorH")}
        </Checkbox>
        <Checkbox checked={values.mirrorsVertically} onChange={(event) => onChange({ mirrorsVertically: event.target.checked })}>
          {t("prepare.step.mirrorV")}
        </Checkbox>
      </div>
      <div className={styles.step}>
        <Checkbox checked={values.resizes} onChange={(event) => onChange({ resizes: event.target.checked })}>
          {t("prepare.step.resize")}
        </Checkbox>
        {values.resizes && (
          <>
            <InputNumber style={{ width: 120 }} aria-label={t("prepare.width")} placeholder={t("prepare.width")} min={1} max={65_535} precision={0} value={values.width} onChange={(width) => onChange({ width })} />
            <span aria-hidden>×</span>
            <InputNumber style={{ width: 120 }} aria-label={t("prepare.height")} placeholder={t("prepare.height")} min={1} max={65_535} precision={0} value={values.height} onChange={(height) => onChange({ height })} />
            <Select<StepValues["fit"]> aria-label={t("prepare.fit")} style={{ width: 180 }} value={values.fit} options={(["inside", "stretch"] as const).map((value) => ({ value, label: t(`prepare.fitWay.${value}`) }))} onChange={(fit) => onChange({ fit })} />
          </>
        )}
      </div>
    </Form>
  );
}

function WorkRow({ of, work, canWrite, onChanged }: { of: DatasetVersionRef; work: PreprocessView; canWrite: boolean; onChanged: () => Promise<unknown> }) {
  const { t } = useTranslation("datasets");
  const notify = useNotify();
  const names = Object.entries(work.steps).flatMap(([key, step]) => (step ? [t(`prepare.done.${key as "crop"}`)] : []));
  return (
    <li className={styles.work}>
      <WorkState state={work.state} />
      <div className={styles.main}>
        <span>{names.join(" → ")}</span>
        <span className={styles.facts}>
          {work.target_version !== null && <Link to={datasetVersionPath({ ...of, version: work.target_version })}>{t("versionNumber", { number: work.target_version })}</Link>}
          <RelativeTime at={work.created_at} />
        </span>
        <WorkProgress work={work} />
      </div>
      {canWrite && isUnderWay(work) && (
        <Button size="small" danger icon={<StopOutlined aria-hidden />} onClick={() => void stopPreprocess(of, work.id).then(onChanged, notify.failed)}>
          {t("works.stop")}
        </Button>
      )}
    </li>
  );
}
