/** Takes an image over from another registry, in the background. */
import { Form, Input } from "antd";
import { useTranslation } from "react-i18next";
import { useTrackJob } from "@/features/activity/jobs";
import { FormModal } from "@/ui/form/FormModal";
import { DescriptionField } from "@/ui/form/fields";
import { useNotify } from "@/ui/notify";
import { pullImage } from "./api";
import type { PullBody } from "./api";
import { ImageNameFields } from "./ImageFields";


export function PullImageForm({ project, onClose }: { project: string; onClose: () => void }) {
  const { t } = useTranslation("images");
  const notify = useNotify();
  const track = useTrackJob();
  const pull = async ({ reference, name, version, user, password, description }: PullBody) => {
    const body = { reference: reference.trim(), name: name.trim(), version: version.trim(), user: user || undefined, password: password || undefined, description };
    track(await pullImage(project, body));
    notify.done(t("pull.started", { name: body.reference }));
  };
  return (
    <FormModal<PullBody> title={t("pull.title")} submitText={t("pull.submit")} initialValues={{ reference: "", name: "", version: "", description: "" }} onSubmit={pull} onClose={onClose}>
      <Form.Item name="reference" label={t("pull.reference")} extra={t("pull.referenceHint")} required rules={[{ required: true, whitespace: true, message: t("pull.referenceMissing") }]}>
        <Input autoFocus autoComplete="off" spellCheck={false} placeholder="registry.example.com/team/image:1.0" />
      </Form.Item>
      <ImageNameFields autoFocus={false} />
      <Form.Item name="user" label={t("pull.user")} extra={t("pull.userHint")}>
        <Input autoComplete="off" />
      </Form.Item>
      <Form.Item name="password" label={t("pull.password")}>
        <Input.Password autoComplete="new-password" />
      </Form.Item>
      <DescriptionField />
    </FormModal>
  );
}
