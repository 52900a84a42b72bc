import { Form, Input } from "antd";
import { useTranslation } from "react-i18next";
import { isImageName, isImageVersion } from "./names";

/** What an image is called: a name and a version, in the registry's alphabet. */
export function ImageNameFields({ autoFocus = true }: { autoFocus?: boolean }) {
  const { t } = useTranslation("images");
  const rule = (isFine: (text: string) => boolean, missing: string, wrong: string) => ({
    validator: (_rule: unknown, value: string | undefined) => {
      const text = value?.trim() ?? "";
      if (text === "") return Promise.reject(new Error(missing));
      return isFine(text) ? Promise.resolve() : Promise.reject(new Error(wrong));
    },
  });
  return (
    <>
      <Form.Item name="name" label={t("name")} required extra={t("nameHint")} rules={[rule(isImageName, t("nameMissing"), t("nameWrong"))]}>
        <Input autoFocus={autoFocus} autoComplete="off" spellCheck={false} placeholder="team/trainer" />
      </Form.Item>
      <Form.Item name="version" label={t("version")} required rules={[rule(isImageVersion, t("versionMissing"), t("versionWrong"))]}>
        <Input autoComplete="off" spellCheck={false} placeholder="1.0" />
      </Form.Item>
    </>
  );
}
