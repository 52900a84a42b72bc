import { Form, Skeleton } from "antd";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { projectPath, useProjectName } from "@/features/projects/current-project";
import { specsQuery } from "@/features/specs/api";
import { AssetVersionList } from "@/features/workloads/AssetVersionSelect";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { FieldGroup, MakePage } from "@/ui/MakePage";
import { useNotify } from "@/ui/notify";
import { createEnvironment } from "./api";
import { ComputeFields } from "./ComputeFields";
import { bodyOf, environmentCommand, NEW_ENVIRONMENT } from "./environment-values";
import type { EnvironmentValues } from "./environment-values";
import { LimitFields, useSecondsText } from "./LimitFields";
import { PasswordFields } from "./PasswordFields";
import { PasswordShown } from "./PasswordShown";
import { environmentPath, environmentsKey } from "./queries";
import type { EnvironmentView } from "./types";

/** Waits for the specs, so that the form begins with one that fits. */
export default function EnvironmentMakePage() {
  const specs = useQuery(specsQuery);
  if (specs.isPending) return <Skeleton active paragraph={{ rows: 12 }} />;
  const first = specs.data?.items.find((spec) => spec.is_enabled && spec.fits);
  return <MakeForm initialValues={{ ...NEW_ENVIRONMENT, spec: first?.name ?? null }} />;
}

function MakeForm({ initialValues }: { initialValues: EnvironmentValues }) {
  const { t } = useTranslation("environments");
  const project = useProjectName();
  const navigate = useNavigate();
  const client = useQueryClient();
  const notify = useNotify();
  const [form] = Form.useForm<EnvironmentValues>();
  const [made, setMade] = useState<EnvironmentView | null>(null);

  const show = (environment: EnvironmentView) => void navigate(environmentPath(project, environment));
  const create = async (values: EnvironmentValues) => {
    const environment = await createEnvironment(project, bodyOf(values));
    void client.invalidateQueries({ queryKey: environmentsKey(project) });
    notify.done(t("created", { name: environment.name }));
    // One's own password need not be shown.
    if (environment.ssh.password && values.password_from === "generated") setMade(environment);
    else show(environment);
  };
  return (
    <>
      <MakePage<EnvironmentValues>
        title={t("create")}
        form={form}
        initialValues={initialValues}
        submitText={t("submit")}
        onSubmit={create}
        onCancel={() => void navigate(projectPath(project, "environments"))}
        summary={(values) => <Summary values={values} />}
        command={(values) => environmentCommand(project, values)}
      >
        <FieldGroup title={t("group.about")}>
          <NameField />
          <DescriptionField />
        </FieldGroup>
        <FieldGroup title={t("group.compute")}>
          <ComputeFields project={project} />
        </FieldGroup>
        <FieldGroup title={t("group.inputs")} text={t("group.inputsText")}>
          <InputFields project={project} />
        </FieldGroup>
        <FieldGroup title={t("group.limits")} text={t("group.limitsText")}>
          <LimitFields />
        </FieldGroup>
        <FieldGroup title={t("group.access")}>
          <PasswordFields />
        </FieldGroup>
      </MakePage>
      {made?.ssh.password && <PasswordShown environment={made} password={made.ssh.password} onClose={() => show(made)} />}
    </>
  );
}

function InputFields({ project }: { project: string }) {
  const { t } = useTranslation("environments");
  const complete = {
    validator: (_rule: unknown, refs: (string | null)[] = []) => (refs.includes(null) ? Promise.reject(new Error(t("inputIncomplete"))) : Promise.resolve()),
    validateTrigger: "onSubmit",
  };
  return (
    <>
      <Form.Item name="algorithms" label={t("algorithms")} rules={[complete]}>
        <AssetVersionList project={project} kind="algorithms" addText={t("addAlgorithm")} />
      </Form.Item>
      <Form.Item name="datasets" label={t("datasets")} rules={[complete]}>
        <AssetVersionList project={project} kind="datasets" addText={t("addDataset")} />
      </Form.Item>
      <Form.Item name="models" label={t("models")} rules={[complete]}>
        <AssetVersionList project={project} kind="models" addText={t("addModel")} />
      </Form.Item>
    </>
  );
}

function Summary({ values }: { values: EnvironmentValues }) {
  const { t } = useTranslation("environments");
  const text = useSecondsText();
  const { name, nodes, spec, time_limit_s, idle_limit_s } = values;
  const image = values.image ?? t("defaultImage");
  return (
    <>
      <p>{name.trim() ? t("summary.name", { name: name.trim() }) : t("summary.unnamed")}</p>
      <p>{spec ? t("summary.compute", { nodes, spec, image }) : t("summary.computeNoSpec", { image })}</p>
      <p>
        {time_limit_s ? t("summary.limit", { duration: text(time_limit_s) }) : t("summary.noLimit")} {idle_limit_s && t("summary.idle", { duration: text(idle_limit_s) })}
      </p>
    </>
  );
}
