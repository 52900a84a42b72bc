import { Breadcrumb } from "antd";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useMatches, useParams } from "react-router";
import { projectPath } from "@/features/projects/current-project";
import { usePageName } from "@/ui/page-name";
import { rooms } from "./rooms";
import type { FeaturePage } from "./rooms";
import type { RouteHandle } from "./router";
import styles from "./Frame.module.css";

/** Where this page is: project or administration, the list it belongs to, the thing itself. */
export function Breadcrumbs() {
  const { t } = useTranslation("shell");
  const params = useParams();
  const { pathname } = useLocation();
  const handle = useMatches().at(-1)?.handle as RouteHandle | undefined;
  const pageName = usePageName();
  const textOf = (crumb: FeaturePage["crumb"]) => {
    const name = crumb === handle?.crumb ? pageName : null;
    if ("label" in crumb) return (crumb.isNamed && name) || t(crumb.label);
    const value = (crumb.isId && name) || (params[crumb.param] ?? "");
    return crumb.text ? t(crumb.text, { value }) : value;
  };
  const here = handle?.crumb ? textOf(handle.crumb) : null;
  useWindowTitle(here, t("product"));
  if (here === null) return <div className={styles.crumbs} />;

  const root = params.project ?? (pathname.startsWith("/admin/") ? t("room.management") : null);
  const items = [
    root && { title: params.project ? <Link to={projectPath(params.project)}>{root}</Link> : root },
    ...parentsOf(pathname, params.project).map(({ page, to }) => ({ title: <Link to={to}>{textOf(page.crumb)}</Link> })),
    { title: <span aria-current="page">{here}</span> },
  ];
  return <Breadcrumb className={styles.crumbs} items={items.filter((item) => item !== null && item !== "")} />;
}

/** One of many open windows is found by what is in it. */
function useWindowTitle(here: string | null, product: string): void {
  useEffect(() => {
    document.title = here ? `${here} · ${product}` : product;
    return () => {
      document.title = product;
    };
  }, [here, product]);
}

/** Pages whose address is a beginning of this one's, such as the list a thing is in. */
function parentsOf(pathname: string, project: string | undefined): { page: FeaturePage; to: string }[] {
  const base = project === undefined ? "/admin" : projectPath(project);
  const parts = pathname.slice(base.length).split("/").filter(Boolean);
  const scope = project === undefined ? "platform" : "project";
  return rooms
    .flatMap((room) => room.pages)
    .filter((page) => page.scope === scope && page.path !== "")
    .flatMap((page) => {
      const wanted = page.path.split("/");
      const isParent = wanted.length < parts.length && wanted.every((part, index) => part.startsWith(":") || part === parts[index]);
      return isParent ? [{ page, to: [base, ...parts.slice(0, wanted.length)].join("/") }] : [];
    });
}
