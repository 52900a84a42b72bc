import { MenuFoldOutlined, MenuUnfoldOutlined } from "@ant-design/icons";
import { Menu } from "antd";
import type { MenuProps } from "antd";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { projectPath, useCurrentProject, useProject } from "@/features/projects/current-project";
import { useMe } from "@/features/session/me";
import { IconButton } from "@/ui/IconButton";
import { rooms } from "./rooms";
import type { FeaturePage } from "./rooms";
import styles from "./Frame.module.css";

interface NavigationProps {
  isCollapsed: boolean;
  onCollapse?: (isCollapsed: boolean) => void;
}

/** The rooms the user may enter. A room whose every page is closed to them is not shown. */
export function Navigation({ isCollapsed, onCollapse }: NavigationProps) {
  const { t } = useTranslation("shell");
  const { pathname } = useLocation();
  const entries = useEntries();
  const items: MenuProps["items"] = entries.map(({ room, pages }) => ({
    key: room.key,
    type: "group" as const,
    label: isCollapsed ? undefined : t(`room.${room.key}`),
    children: pages.map(({ page, to }) => ({
      key: to,
      icon: page.nav?.icon,
      label: <Link to={to}>{page.nav && t(page.nav.label)}</Link>,
    })),
  }));
  const places = entries.flatMap((entry) => entry.pages.map(({ to }) => to));
  const label = isCollapsed ? t("expandNavigation") : t("collapseNavigation");
  return (
    <>
      <nav className={styles.nav} aria-label={t("navigation")}>
        <Menu mode="inline" inlineCollapsed={isCollapsed} items={items} selectedKeys={[placeOf(pathname, places)]} style={{ border: 0, background: "none" }} />
      </nav>
      {onCollapse && (
        <div className={styles.collapse}>
          <IconButton icon={isCollapsed ? <MenuUnfoldOutlined aria-hidden /> : <MenuFoldOutlined aria-hidden />} label={label} aria-expanded={!isCollapsed} onClick={() => onCollapse(!isCollapsed)} />
        </div>
      )}
    </>
  );
}

/** Every page of the navigation with its address, for the current project and user. */
export function useEntries() {
  const me = useMe();
  const projectName = useCurrentProject();
  const project = useProject(projectName ?? "", projectName !== null);
  const inProject: string[] = project.data?.permissions ?? [];
  const isAllowed = (page: FeaturePage) =>
    page.scope === "platform" ? me.permissions.includes(page.permission) : inProject.includes(page.permission);
  const address = (page: FeaturePage) =>
    page.scope === "platform" ? `/admin/${page.path}` : projectPath(projectName ?? "", ...page.path.split("/").filter(Boolean));
  return rooms
    .map((room) => ({
      room,
      pages: room.pages.filter((page) => page.nav && isAllowed(page)).map((page) => ({ page, to: address(page) })),
    }))
    .filter((entry) => entry.pages.length > 0);
}

/** The most specific navigation entry the address is under. */
function placeOf(pathname: string, places: string[]): string {
  const under = places.filter((place) => pathname === place || pathname.startsWith(`${place}/`));
  return under.sort((a, b) => b.length - a.length)[0] ?? "";
}
