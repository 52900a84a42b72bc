/** What is done with results: a file of them, or back into a dataset. */
import { DownloadOutlined, RollbackOutlined } from "@ant-design/icons";
import { Button, Dropdown, Tooltip } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useProjectPermission } from "@/features/projects/current-project";
import { isEnded } from "@/features/workloads/states";
import { resultsAddress } from "../api";
import type { InferenceRunRef } from "../api";
import type { Download, InferenceRun } from "../types";
import { WriteBackForm } from "../write-back/WriteBackForm";

const FORMATS: readonly Download[] = ["json", "jsonl", "csv", "coco"];
/** Tasks whose results COCO has a form for. */
const COCO_TASKS = new Set(["object-detection", "segmentation", "keypoints"]);

export function TakeResults({ at, run }: { at: InferenceRunRef; run: InferenceRun }) {
  const { t } = useTranslation("inference");
  const canWrite = useProjectPermission(at.project, "inference.write");
  const [isOpen, setOpen] = useState(false);
  if (run.form !== "model") return null;
  const none = run.has_results ? undefined : t("results.notYet");
  const refusal = canWrite ? (none ?? (isEnded(run.state) ? undefined : t("back.running"))) : t("notAllowed");
  const items = FORMATS.map((format) => {
    const isWrong = format === "coco" && !COCO_TASKS.has(run.task);
    const text = t(`download.${format}`);
    return { key: format, disabled: isWrong, label: isWrong ? <Tooltip title={t("download.notCoco")}>{text}</Tooltip> : <a href={resultsAddress(at, format)}>{text}</a> };
  });
  return (
    <>
      <Dropdown trigger={["click"]} disabled={none !== undefined} menu={{ items }}>
        <Tooltip title={none}>
          <Button icon={<DownloadOutlined aria-hidden />} disabled={none !== undefined}>
            {t("download.action")}
          </Button>
        </Tooltip>
      </Dropdown>
      <Tooltip title={refusal}>
        <Button type="primary" icon={<RollbackOutlined aria-hidden />} disabled={refusal !== undefined} onClick={() => setOpen(true)}>
          {t("back.action")}
        </Button>
      </Tooltip>
      {isOpen && <WriteBackForm at={at} run={run} onClose={() => setOpen(false)} />}
    </>
  );
}
