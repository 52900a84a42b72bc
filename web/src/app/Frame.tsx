import { MenuOutlined } from "@ant-design/icons";
import { Drawer, Grid } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, Outlet, ScrollRestoration, useLocation } from "react-router";
import { ActivityButton } from "@/features/activity/ActivityButton";
import { useLiveEvents } from "@/features/activity/live-events";
import { UploadPanel } from "@/features/files/upload/UploadPanel";
import { readSaved, save } from "@/lib/saved";
import { IconButton } from "@/ui/IconButton";
import { Mark } from "@/ui/Mark";
import { Breadcrumbs } from "./Breadcrumbs";
import { ConnectionBanner } from "./ConnectionBanner";
import { GlobalSearch } from "./GlobalSearch";
import { Navigation } from "./Navigation";
import { Preferences } from "./Preferences";
import { ProjectSwitcher } from "./ProjectSwitcher";
import { UserMenu } from "./UserMenu";
import styles from "./Frame.module.css";

const COLLAPSED = "navigation.collapsed";

/** Navigation on the left, tools on top, the page in the middle. */
export function Frame() {
  const { t } = useTranslation("shell");
  const { md: isWide = true } = Grid.useBreakpoint();
  const [isCollapsed, setCollapsed] = useState(() => readSaved(COLLAPSED) === "true");
  useLiveEvents();

  const collapse = (next: boolean) => {
    setCollapsed(next);
    save(COLLAPSED, String(next));
  };
  return (
    <div className={styles.frame} data-collapsed={isCollapsed || undefined}>
      <a className="tm-skip" href="#content">
        {t("skip")}
      </a>
      {isWide && (
        <aside className={styles.side}>
          <Brand isSmall={isCollapsed} />
          <Navigation isCollapsed={isCollapsed} onCollapse={collapse} />
        </aside>
      )}
      <div className={styles.main}>
        <header className={styles.top}>
          {!isWide && <NavigationDrawer />}
          <ProjectSwitcher />
          <span className={styles.gap} />
          <GlobalSearch />
          <ActivityButton />
          {isWide && <Preferences />}
          <UserMenu />
        </header>
        <ConnectionBanner />
        <main id="content" className={styles.content} tabIndex={-1}>
          <Breadcrumbs />
          <Outlet />
        </main>
      </div>
      <UploadPanel />
      <ScrollRestoration />
    </div>
  );
}

function Brand({ isSmall = false }: { isSmall?: boolean }) {
  const { t } = useTranslation("shell");
  return (
    <Link to="/" className={styles.brand} aria-label={t("product")}>
      <Mark size={28} className={styles.mark} />
      {!isSmall && <span>{t("product")}</span>}
    </Link>
  );
}

function NavigationDrawer() {
  const { t } = useTranslation("shell");
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  const [shownFor, setShownFor] = useState(pathname);

  // Going somewhere closes the drawer.
  if (shownFor !== pathname) {
    setShownFor(pathname);
    setOpen(false);
  }
  useEffect(() => {
    document.body.classList.toggle(styles.behind ?? "", isOpen);
  }, [isOpen]);
  return (
    <>
      <IconButton icon={<MenuOutlined aria-hidden />} label={t("openNavigation")} onClick={() => setOpen(true)} />
      <Drawer
        open={isOpen}
        onClose={() => setOpen(false)}
        placement="left"
        size={272}
        title={<Brand />}
        footer={<Preferences />}
        styles={{ body: { padding: "8px 0" } }}
      >
        <Navigation isCollapsed={false} />
      </Drawer>
    </>
  );
}
