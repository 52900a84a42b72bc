/** A new Python image: a list of packages, locked and built by the platform. */
import { Form } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { projectPath, useProjectName } from "@/features/projects/current-project";
import { shellQuote } from "@/lib/shell";
import { DescriptionField } from "@/ui/form/fields";
import { FieldGroup, MakePage } from "@/ui/MakePage";
import { useNotify } from "@/ui/notify";
import { createPythonImage } from "./api";
import { ImageNameFields } from "./ImageFields";
import { imagePath, imagesKey } from "./queries";
import { requirementProblems, requirementsOf } from "./requirements";
import { RequirementsInput } from "./RequirementsInput";

interface Values {
  name: string;
  version: string;
  requirements: string;
  description: string;
}

const NEW_IMAGE: Values = { name: "", version: "1.0", requirements: "", description: "" };

export default function PythonImageMakePage() {
  const { t } = useTranslation("images");
  const project = useProjectName();
  const navigate = useNavigate();
  const client = useQueryClient();
  const notify = useNotify();
  const [form] = Form.useForm<Values>();
  const create = async ({ name, version, requirements, description }: Values) => {
    const image = await createPythonImage(project, { name: name.trim(), version: version.trim(), requirements: requirementsOf(requirements), description });
    await client.invalidateQueries({ queryKey: imagesKey(project) });
    notify.done(t("build.started", { name: image.reference }));
    void navigate(`${imagePath(project, image.id)}?tab=log`);
  };
  return (
    <MakePage<Values>
      title={t("python.create")}
      form={form}
      initialValues={NEW_IMAGE}
      submitText={t("python.submit")}
      onSubmit={create}
      onCancel={() => void navigate(projectPath(project, "images"))}
      summary={(values) => <Summary values={values} />}
      command={(values) => commandOf(project, values)}
    >
      <FieldGroup title={t("python.group.name")} text={t("python.group.nameText")}>
        <ImageNameFields />
        <DescriptionField />
      </FieldGroup>
      <FieldGroup title={t("python.group.packages")} text={t("python.group.packagesText")}>
        <Form.Item
          name="requirements"
          label={t("requirements.label")}
          required
          rules={[
            {
              validator: (_rule, text: string) => {
                if (requirementsOf(text).length === 0) return Promise.reject(new Error(t("requirements.missing")));
                return requirementProblems(text).length > 0 ? Promise.reject(new Error(t("requirements.wrong"))) : Promise.resolve();
              },
              validateTrigger: "onSubmit",
            },
          ]}
        >
          <RequirementsInput />
        </Form.Item>
      </FieldGroup>
    </MakePage>
  );
}

function Summary({ values }: { values: Values }) {
  const { t } = useTranslation("images");
  const count = requirementsOf(values.requirements).length;
  return (
    <>
      <p>{values.name.trim() ? t("python.summary", { name: `${values.name.trim()}:${values.version.trim()}` }) : t("python.summaryUnnamed")}</p>
      <p>{count > 0 ? t("python.summaryPackages", { count }) : t("python.summaryNoPackages")}</p>
    </>
  );
}

function commandOf(project: string, { name, version, requirements }: Values): string {
  const title = shellQuote(`${name.trim() || "NAME"}:${version.trim() || "VERSION"}`);
  const asked = requirementsOf(requirements).map((line) => ` -r ${shellQuote(line)}`);
  return `tidemill image create ${title}${asked.join("")} --project ${shellQuote(project)}`;
}
