/** A draft: empty, or with everything of an older version. Nothing is copied but the list of items. */
import { useQuery } from "@tanstack/react-query";
import { Form, Radio, Select } from "antd";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useTrackJob } from "@/features/activity/jobs";
import { FormModal } from "@/ui/form/FormModal";
import { useNotify } from "@/ui/notify";
import { datasetPath, datasetVersionPath } from "../addresses";
import { copyDatasetVersion, createDatasetVersion } from "../api";
import { refOf } from "../dataset-actions";
import { newestVersionsQuery, useDatasetRefresh } from "../queries";
import type { DatasetVersionView, DatasetView } from "../types";
import { NoteField } from "./version-actions";

interface Values {
  start: "from" | "empty";
  from?: number;
  note: string;
}

export function NewVersionForm({ dataset, from, onClose }: { dataset: DatasetView; from?: DatasetVersionView; onClose: () => void }) {
  const { t } = useTranslation("datasets");
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useDatasetRefresh();
  const track = useTrackJob();
  const ref = refOf(dataset);
  const first = from?.number ?? dataset.latest?.number;
  const make = async ({ start, from: number, note }: Values) => {
    if (start === "empty" || number === undefined) {
      const made = await createDatasetVersion(ref, note);
      await refresh.dataset(ref);
      await navigate(datasetVersionPath({ ...ref, version: made.number }));
      return;
    }
    track(await copyDatasetVersion({ ...ref, version: number }, note));
    notify.done(t("newVersion.started"));
    await navigate(datasetPath(ref));
  };
  return (
    <FormModal<Values>
      title={t("newVersion.title", { name: dataset.name })}
      submitText={t("newVersion.submit")}
      initialValues={{ start: first === undefined ? "empty" : "from", from: first, note: "" }}
      onSubmit={make}
      onClose={onClose}
    >
      <StartFields dataset={dataset} />
      <NoteField />
    </FormModal>
  );
}

function StartFields({ dataset }: { dataset: DatasetView }) {
  const { t } = useTranslation("datasets");
  const start = Form.useWatch<Values["start"]>("start");
  const versions = useQuery(newestVersionsQuery(refOf(dataset)));
  const usable = (versions.data?.items ?? []).filter((version) => version.work !== "copying");
  return (
    <>
      <Form.Item name="start" label={t("newVersion.start")} required extra={t("newVersion.hint")}>
        <Radio.Group
          options={[
            { value: "from", label: t("newVersion.from") },
            { value: "empty", label: t("newVersion.empty") },
          ]}
        />
      </Form.Item>
      {start === "from" && (
        <Form.Item name="from" label={t("newVersion.which")} required rules={[{ required: true, message: t("newVersion.whichMissing") }]}>
          <Select options={usable.map((version) => ({ value: version.number, label: t("versionNumber", { number: version.number }) }))} />
        </Form.Item>
      )}
    </>
  );
}
