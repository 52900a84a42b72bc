import { Alert, Button, Form } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { api, unwrap } from "@/api/client";
import type { ProjectView } from "@/api/types";
import { PicklesPanel } from "@/features/packages/PicklesPanel";
import { meQuery, usePermission } from "@/features/session/me";
import { useConfirm } from "@/ui/confirm";
import { Panel } from "@/ui/Facts";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { useFormSubmit } from "@/ui/form/form-submit";
import { FieldGroup } from "@/ui/MakePage";
import { useNotify } from "@/ui/notify";
import { projectPath, rememberProject } from "./current-project";
import { bodyOf, valuesOf } from "./project-values";
import type { ProjectValues } from "./project-values";
import { QuotaFields, StorageField } from "./ProjectFields";
import { deleteProject, projectsKey } from "./projects";
import styles from "./Projects.module.css";

export function ProjectSettings({ project }: { project: ProjectView }) {
  return (
    <div className={styles.settings}>
      {project.permissions.includes("project.update") && <SettingsForm project={project} />}
      {project.permissions.includes("project.update") && project.permissions.includes("package.read") && <PicklesPanel project={project.name} />}
      {project.permissions.includes("project.delete") && !project.is_public && <DeletePanel project={project} />}
    </div>
  );
}

function SettingsForm({ project }: { project: ProjectView }) {
  const { t } = useTranslation(["projects", "common"]);
  const navigate = useNavigate();
  const client = useQueryClient();
  const notify = useNotify();
  // The name and the limits are the platform's to give, not the project's to take.
  const canSetLimits = usePermission("project.manage");
  const [form] = Form.useForm<ProjectValues>();
  const [isChanged, setChanged] = useState(false);
  const { submit, isBusy, problem } = useFormSubmit(form, async (values: ProjectValues) => {
    const all = bodyOf({ ...valuesOf(project), ...values });
    const body = canSetLimits ? { ...all, name: project.is_public ? undefined : all.name } : { description: all.description };
    const saved = await unwrap(api.PATCH("/api/v1/projects/{project}", { params: { path: { project: project.id } }, body }));
    notify.done(t("common:saved"));
    setChanged(false);
    if (saved.name !== project.name) navigate(`${projectPath(saved.name)}?tab=settings`, { replace: true });
    await Promise.all([client.invalidateQueries({ queryKey: projectsKey }), client.invalidateQueries({ queryKey: meQuery.queryKey })]);
  });
  const fixedName = project.is_public ? t("publicName") : canSetLimits ? undefined : t("managedName");
  return (
    <Form<ProjectValues> form={form} layout="vertical" requiredMark="optional" initialValues={valuesOf(project)} onValuesChange={() => setChanged(true)} onFinish={(values) => void submit(values)}>
      <FieldGroup title={t("group.about")}>
        <NameField isDisabled={fixedName !== undefined} autoFocus={false} hint={fixedName} />
        <DescriptionField />
      </FieldGroup>
      {canSetLimits && (
        <>
          <FieldGroup title={t("group.storage")}>
            <StorageField />
          </FieldGroup>
          <FieldGroup title={t("group.compute")}>
            <QuotaFields />
          </FieldGroup>
        </>
      )}
      {problem && <Alert type="error" showIcon title={problem.title} description={problem.text} style={{ marginBottom: 16 }} />}
      <div className={styles.bar}>
        <Button type="primary" htmlType="submit" loading={isBusy} disabled={!isChanged}>
          {t("common:action.save")}
        </Button>
        <span className="tm-muted">{isChanged ? t("common:unsaved") : t("common:nothingChanged")}</span>
      </div>
    </Form>
  );
}

function DeletePanel({ project }: { project: ProjectView }) {
  const { t } = useTranslation("projects");
  const navigate = useNavigate();
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const ask = () =>
    confirm({
      title: t("delete.title", { name: project.name }),
      text: t("delete.text"),
      okText: t("delete.action"),
      typeName: project.name,
      onConfirm: async () => {
        await deleteProject(project.id);
        rememberProject(null);
        notify.done(t("delete.done", { name: project.name }));
        await client.invalidateQueries({ queryKey: meQuery.queryKey });
        navigate("/");
        await client.invalidateQueries({ queryKey: projectsKey });
      },
    });
  return (
    <Panel
      title={t("delete.action")}
      actions={
        <Button danger onClick={ask}>
          {t("delete.action")}
        </Button>
      }
    >
      {t("delete.text")}
    </Panel>
  );
}
