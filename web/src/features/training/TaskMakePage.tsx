import { Form, Skeleton } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { isNotFound } from "@/api/failure";
import { useProjectName } from "@/features/projects/current-project";
import { specsQuery } from "@/features/specs/api";
import { useSpecText } from "@/features/specs/spec-text";
import { useFormat } from "@/lib/format";
import { ErrorState } from "@/ui/ErrorState";
import { MakePage } from "@/ui/MakePage";
import { useNotify } from "@/ui/notify";
import { NotFound } from "@/ui/NotFound";
import { createTask, updateTask } from "./api";
import { taskPath, taskQuery, useRefreshTraining } from "./queries";
import { taskCommand } from "./task-command";
import { bodyOf, keptInputs, newTask, valuesOf } from "./task-values";
import type { TaskValues } from "./task-values";
import { TaskFields } from "./TaskFields";
import type { TaskView } from "./types";

/** A new task, or an old one to change: the same fields. */
export default function TaskMakePage() {
  const { task } = useParams();
  return task === undefined ? <TaskForm task={null} /> : <EditTask task={task} />;
}

function EditTask({ task }: { task: string }) {
  const query = useQuery(taskQuery({ project: useProjectName(), task }));
  if (query.isPending) return <Skeleton active paragraph={{ rows: 10 }} />;
  if (isNotFound(query.error)) return <NotFound />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <TaskForm task={query.data} />;
}

function TaskForm({ task }: { task: TaskView | null }) {
  const { t } = useTranslation(["training", "common"]);
  const project = useProjectName();
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useRefreshTraining();
  const [form] = Form.useForm<TaskValues>();
  const save = async () => {
    // Folded and hidden fields count too, which the submitted values leave out.
    const values = form.getFieldsValue(true) as TaskValues;
    const saved = task ? await updateTask({ project, task: task.id }, bodyOf(values, keptInputs(task))) : await createTask(project, bodyOf(values));
    notify.done(task ? t("common:saved") : t("created", { name: saved.name }));
    await refresh();
    void navigate(taskPath(project, saved.name));
  };
  return (
    <MakePage<TaskValues>
      title={task ? t("edit", { name: task.name }) : t("create")}
      form={form}
      initialValues={task ? valuesOf(task) : newTask()}
      submitText={task ? t("common:action.save") : t("common:action.create")}
      onSubmit={save}
      onCancel={() => void navigate(-1)}
      summary={(values) => <Summary values={values} />}
      command={(values) => taskCommand({ ...newTask(), ...values })}
    >
      <TaskFields project={project} />
    </MakePage>
  );
}

/** What one start of the task will use. */
function Summary({ values }: { values: TaskValues }) {
  const { t } = useTranslation("training");
  const format = useFormat();
  const specText = useSpecText();
  const specs = useQuery(specsQuery).data?.items ?? [];
  const spec = specs.find((one) => one.name === values.spec);
  const nodes = values.nodes ?? 1;
  return (
    <>
      <p>{spec ? t("summary.uses", { count: nodes, nodes: format.number(nodes), spec: specText(spec) }) : t("summary.usesDefault", { count: nodes, nodes: format.number(nodes) })}</p>
      <p>{values.save_model?.trim() ? t("summary.saves", { model: values.save_model.trim() }) : t("summary.savesNot")}</p>
      {(values.retries ?? 0) > 0 && <p>{t("summary.retries", { count: values.retries })}</p>}
    </>
  );
}
