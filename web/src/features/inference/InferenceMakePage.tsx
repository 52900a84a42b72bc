import { useQuery } from "@tanstack/react-query";
import { Form, Skeleton } from "antd";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { isNotFound } from "@/api/failure";
import { useProjectName } from "@/features/projects/current-project";
import { specsQuery } from "@/features/specs/api";
import { useSpecText } from "@/features/specs/spec-text";
import { useFormat } from "@/lib/format";
import { ErrorState } from "@/ui/ErrorState";
import { MakePage } from "@/ui/MakePage";
import { NotFound } from "@/ui/NotFound";
import { useNotify } from "@/ui/notify";
import { createInference, startInference, updateInference } from "./api";
import { inferenceCommand } from "./inference-command";
import { bodyOf, newInference, valuesOf } from "./inference-values";
import type { InferenceValues } from "./inference-values";
import { InferenceFields } from "./InferenceFields";
import { useChosenVersion } from "./ModelFields";
import { entryPath, entryQuery, runPath, useRefreshInference } from "./queries";
import type { InferenceView } from "./types";
import styles from "./Inference.module.css";

/** A new entry, which is started at once, or an old one to change: the same fields. */
export default function InferenceMakePage() {
  const { inference } = useParams();
  return inference === undefined ? <EntryForm entry={null} /> : <EditEntry inference={inference} />;
}

function EditEntry({ inference }: { inference: string }) {
  const query = useQuery(entryQuery({ project: useProjectName(), inference }));
  if (query.isPending) return <Skeleton active paragraph={{ rows: 10 }} />;
  if (isNotFound(query.error)) return <NotFound />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <EntryForm entry={query.data} />;
}

function EntryForm({ entry }: { entry: InferenceView | null }) {
  const { t } = useTranslation(["inference", "common"]);
  const project = useProjectName();
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useRefreshInference();
  const [params] = useSearchParams();
  const [form] = Form.useForm<InferenceValues>();
  const first = entry ? valuesOf(entry) : newInference({ model: params.get("model"), dataset: params.get("dataset"), service: params.get("service") });

  const save = async () => {
    // Folded and hidden fields count too, which the submitted values leave out.
    const body = bodyOf({ ...first, ...(form.getFieldsValue(true) as InferenceValues) });
    if (entry) {
      const saved = await updateInference({ project, inference: entry.id }, body);
      notify.done(t("common:saved"));
      await refresh();
      return navigate(entryPath(project, saved.name));
    }
    const made = await createInference(project, body);
    void refresh();
    try {
      const run = await startInference({ project, inference: made.id });
      notify.done(t("started", { name: run.name }));
      return await navigate(runPath(project, made.name, run.number));
    } catch (error) {
      // It is made all the same, and can be started when what is in the way is gone.
      notify.failed(error);
      return navigate(entryPath(project, made.name));
    }
  };
  return (
    <MakePage<InferenceValues>
      title={entry ? t("edit", { name: entry.name }) : t("create")}
      form={form}
      initialValues={first}
      submitText={entry ? t("common:action.save") : t("make.submit")}
      onSubmit={save}
      onCancel={() => void navigate(-1)}
      summary={(values) => <Summary project={project} values={{ ...first, ...values }} isNew={entry === null} />}
      command={(values) => inferenceCommand({ ...first, ...values })}
    >
      <InferenceFields project={project} />
    </MakePage>
  );
}

/** What one start of the entry will do, and what it will use. */
function Summary({ project, values, isNew }: { project: string; values: InferenceValues; isNew: boolean }) {
  const { t } = useTranslation("inference");
  const format = useFormat();
  const specText = useSpecText();
  const specs = useQuery(specsQuery).data?.items ?? [];
  const version = useChosenVersion(project);
  const spec = specs.find((one) => one.name === values.spec);
  const items = version && (values.states.length === 0 ? version.items : values.states.reduce((sum, state) => sum + (version.states[state] ?? 0), 0));
  return (
    <div className={styles.happens}>
      {values.form === "model" ? (
        <p>
          {items === undefined
            ? t("make.summary.chooseData")
            : t("make.summary.looks", { count: items, number: format.number(items), threshold: format.percent(values.thresholdPercent / 100) })}
        </p>
      ) : (
        <p>{t("make.summary.code")}</p>
      )}
      <p>{spec ? t("make.summary.uses", { spec: specText(spec) }) : t("make.summary.usesDefault")}</p>
      {values.form === "model" && <p className="tm-muted">{t("make.summary.nothingChanges")}</p>}
      {isNew && <p className="tm-muted">{t("make.summary.starts")}</p>}
    </div>
  );
}
