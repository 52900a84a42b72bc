import { GlobalOutlined } from "@ant-design/icons";
import { Dropdown } from "antd";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/ui/IconButton";
import { LANGUAGES, setLanguage, useLanguage } from ".";
import type { Language } from ".";

/** Each language is listed under its own name, so that it can be found by who reads only that one. */
export function LanguageButton({ onChosen }: { onChosen?: (language: Language) => void }) {
  const { t } = useTranslation("shell");
  const language = useLanguage();
  const items = (Object.keys(LANGUAGES) as Language[]).map((key) => ({ key, label: <span lang={key}>{LANGUAGES[key]}</span> }));
  return (
    <Dropdown
      trigger={["click"]}
      placement="bottomRight"
      menu={{
        items,
        selectable: true,
        selectedKeys: [language],
        onClick: ({ key }) => {
          const chosen = key as Language;
          void setLanguage(chosen).then(() => onChosen?.(chosen));
        },
      }}
    >
      <IconButton icon={<GlobalOutlined aria-hidden />} label={t("language")} />
    </Dropdown>
  );
}
