/** Deploy: something that answers, on so many replicas, behind an address of its own. */
import { Collapse, Form } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { useProjectName } from "@/features/projects/current-project";
import { specsQuery } from "@/features/specs/api";
import { useSpecText } from "@/features/specs/spec-text";
import { useFormat } from "@/lib/format";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { FieldGroup, MakePage } from "@/ui/MakePage";
import { useNotify } from "@/ui/notify";
import { AccessField, LimitFields } from "./AccessFields";
import { createService } from "./api";
import { SizeFields, SourceFields, VariablesFields } from "./DeployFields";
import { servicePath, servicesPath, useRefreshServices } from "./queries";
import { serviceCommand } from "./service-command";
import { bodyOf, newService, sourceIn } from "./service-values";
import type { ServiceValues } from "./service-values";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Services.module.css";

export default function ServiceMakePage() {
  const { t } = useTranslation("services");
  const project = useProjectName();
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useRefreshServices(project);
  const [params] = useSearchParams();
  const [form] = Form.useForm<ServiceValues>();
  const initial = newService(sourceIn(params));
  const deploy = async () => {
    // Folded and hidden fields count too, which the submitted values leave out.
    const made = await createService(project, bodyOf({ ...initial, ...(form.getFieldsValue(true) as ServiceValues) }));
    await refresh();
    notify.done(t("created", { name: made.name }));
    void navigate(servicePath({ project, service: made.name }));
  };
  return (
    <MakePage<ServiceValues>
      title={t("make.title")}
      form={form}
      initialValues={initial}
      submitText={t("deploy.action")}
      onSubmit={deploy}
      onCancel={() => void navigate(servicesPath(project))}
      summary={(values) => <Summary project={project} values={{ ...initial, ...values }} />}
      command={(values) => serviceCommand(project, { ...initial, ...values })}
    >
      <FieldGroup title={t("group.what")} text={t("group.whatText")}>
        <SourceFields project={project} />
      </FieldGroup>
      <FieldGroup title={t("group.about")}>
        <NameField hint={t("hint.name")} autoFocus={false} />
        <DescriptionField />
      </FieldGroup>
      <FieldGroup title={t("group.size")}>
        <SizeFields />
      </FieldGroup>
      <FieldGroup title={t("group.access")}>
        <AccessField />
      </FieldGroup>
      <Collapse
        className={surfaces.folded}
        items={[
          {
            key: "more",
            label: t("group.more"),
            forceRender: true,
            children: (
              <>
                <LimitFields />
                <VariablesFields />
              </>
            ),
          },
        ]}
      />
    </MakePage>
  );
}

/** What will answer where, and what it will use. */
function Summary({ project, values }: { project: string; values: ServiceValues }) {
  const { t } = useTranslation("services");
  const format = useFormat();
  const specText = useSpecText();
  const specs = useQuery(specsQuery).data?.items ?? [];
  const spec = specs.find((one) => one.name === values.spec);
  const replicas = values.replicas ?? 1;
  const what = { model: values.model, package: values.package, run: values.run.trim() }[values.kind];
  const name = values.name.trim();
  return (
    <>
      <p className={styles.wrap}>{what ? t(`summary.${values.kind}`, { what, address: `/${project}/${name || "…"}` }) : t("summary.nothing")}</p>
      <p>{spec ? t("summary.uses", { count: replicas, replicas: format.number(replicas), spec: specText(spec) }) : t("summary.usesDefault", { count: replicas, replicas: format.number(replicas) })}</p>
      <p>{t(values.access === "key" ? "summary.key" : "summary.open")}</p>
    </>
  );
}
