import { DesktopOutlined, MoonOutlined, SunOutlined } from "@ant-design/icons";
import { Dropdown } from "antd";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/ui/IconButton";
import { setThemeChoice, useThemeChoice, useThemeMode } from "./mode";
import type { ThemeChoice } from "./mode";

const icons: Record<ThemeChoice, React.ReactNode> = { light: <SunOutlined aria-hidden />, dark: <MoonOutlined aria-hidden />, system: <DesktopOutlined aria-hidden /> };

export function ThemeButton() {
  const { t } = useTranslation("shell");
  const choice = useThemeChoice();
  const mode = useThemeMode();
  const items = (Object.keys(icons) as ThemeChoice[]).map((key) => ({ key, icon: icons[key], label: t(`theme.${key}`) }));
  return (
    <Dropdown
      trigger={["click"]}
      placement="bottomRight"
      menu={{ items, selectable: true, selectedKeys: [choice], onClick: ({ key }) => setThemeChoice(key as ThemeChoice) }}
    >
      <IconButton icon={icons[mode]} label={t("theme.label")} />
    </Dropdown>
  );
}
