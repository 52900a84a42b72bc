import { Form } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { api, unwrap } from "@/api/client";
import { meQuery } from "@/features/session/me";
import { useFormat } from "@/lib/format";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { FieldGroup, MakePage } from "@/ui/MakePage";
import { useNotify } from "@/ui/notify";
import { projectPath } from "./current-project";
import { projectCommand } from "./project-command";
import { bodyOf, NEW_PROJECT } from "./project-values";
import type { ProjectValues } from "./project-values";
import { QuotaFields, StorageField } from "./ProjectFields";
import { projectsKey } from "./projects";

export default function ProjectMakePage() {
  const { t } = useTranslation("projects");
  const navigate = useNavigate();
  const client = useQueryClient();
  const notify = useNotify();
  const [form] = Form.useForm<ProjectValues>();

  const create = async (values: ProjectValues) => {
    const project = await unwrap(api.POST("/api/v1/projects", { body: bodyOf(values) }));
    await Promise.all([client.invalidateQueries({ queryKey: projectsKey }), client.invalidateQueries({ queryKey: meQuery.queryKey })]);
    notify.done(t("created", { name: project.name }));
    navigate(projectPath(project.name));
  };
  return (
    <MakePage<ProjectValues>
      title={t("create")}
      form={form}
      initialValues={NEW_PROJECT}
      submitText={t("create")}
      onSubmit={create}
      onCancel={() => navigate(-1)}
      summary={(values) => <Summary values={values} />}
      command={projectCommand}
    >
      <FieldGroup title={t("group.about")} text={t("group.aboutText")}>
        <NameField />
        <DescriptionField placeholder={t("descriptionHint")} />
      </FieldGroup>
      <FieldGroup title={t("group.storage")} text={t("group.storageText")}>
        <StorageField />
      </FieldGroup>
      <FieldGroup title={t("group.compute")} text={t("group.computeText")}>
        <QuotaFields />
      </FieldGroup>
    </MakePage>
  );
}

function Summary({ values }: { values: ProjectValues }) {
  const { t } = useTranslation("projects");
  const format = useFormat();
  const { cpu, memory_bytes, accelerators = [] } = values.quota;
  const parts = [
    cpu !== null && cpu !== undefined && t("summary.cpu", { count: cpu }),
    memory_bytes !== null && memory_bytes !== undefined && t("summary.memory", { size: format.bytes(memory_bytes) }),
    ...accelerators.filter((one) => one?.name).map((one) => t("summary.accelerator", { count: one.count, name: one.name })),
  ].filter((part) => part !== false);
  return (
    <>
      <p>{values.name.trim() ? t("summary.name", { name: values.name.trim() }) : t("summary.unnamed")}</p>
      <p>{values.storage_limit_bytes ? t("summary.storage", { size: format.bytes(values.storage_limit_bytes) }) : t("summary.storageFree")}</p>
      <p>{parts.length > 0 ? t("summary.compute", { parts: format.list(parts) }) : t("summary.computeFree")}</p>
    </>
  );
}
