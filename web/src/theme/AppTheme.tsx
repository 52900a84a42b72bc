import { App as AntdApp, ConfigProvider } from "antd";
import enUS from "antd/locale/en_US";
import zhCN from "antd/locale/zh_CN";
import { useLayoutEffect, useMemo } from "react";
import type { ReactNode } from "react";
import { useLanguage } from "@/i18n";
import { useReducedMotion, useThemeMode } from "./mode";
import { cssVariables, themeConfig } from "./tokens";
import "./global.css";

const antdLocales = { "zh-CN": zhCN, en: enUS };

/** Gives Ant Design and our own style sheets the same colours, and Ant Design the user's language. */
export function AppTheme({ children }: { children: ReactNode }) {
  const mode = useThemeMode();
  const isStill = useReducedMotion();
  const language = useLanguage();
  const config = useMemo(() => themeConfig(mode, isStill), [mode, isStill]);

  useLayoutEffect(() => {
    const root = document.documentElement;
    root.dataset.theme = mode;
    root.style.colorScheme = mode;
    for (const [name, value] of Object.entries(cssVariables(mode))) root.style.setProperty(name, value);
  }, [mode]);

  return (
    <ConfigProvider theme={config} locale={antdLocales[language]} button={{ autoInsertSpace: false }}>
      <AntdApp component={false} message={{ maxCount: 3 }}>
        {children}
      </AntdApp>
    </ConfigProvider>
  );
}
