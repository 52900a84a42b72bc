import { AppstoreOutlined, CheckOutlined, DownOutlined } from "@ant-design/icons";
import { Button, Input, Popover, Tag } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { api, unwrap } from "@/api/client";
import { projectPath, useCurrentProject } from "@/features/projects/current-project";
import { useMe, usePermission } from "@/features/session/me";
import styles from "./Frame.module.css";

const SHOWN = 50;

export function ProjectSwitcher() {
  const { t } = useTranslation("shell");
  const current = useCurrentProject();
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover
      open={isOpen}
      onOpenChange={setOpen}
      trigger="click"
      placement="bottomLeft"
      arrow={false}
      destroyOnHidden
      content={<ProjectChoice current={current} onChosen={() => setOpen(false)} />}
    >
      <Button type="text" className={styles.switcher} aria-label={t("project.switch", { name: current ?? t("project.none") })} aria-haspopup="dialog" aria-expanded={isOpen}>
        <AppstoreOutlined aria-hidden />
        <span className={styles.switcherName}>{current ?? t("project.none")}</span>
        <DownOutlined aria-hidden style={{ fontSize: 10 }} />
      </Button>
    </Popover>
  );
}

function ProjectChoice({ current, onChosen }: { current: string | null; onChosen: () => void }) {
  const { t } = useTranslation("shell");
  const navigate = useNavigate();
  const isAdministrator = useMe().kind === "administrator";
  const canCreate = usePermission("project.create");
  const canManage = usePermission("project.manage");
  const [q, setQ] = useState("");
  const [marked, setMarked] = useState(0);
  const { data } = useQuery({
    queryKey: ["projects", "switcher", q],
    queryFn: () =>
      unwrap(api.GET("/api/v1/projects", { params: { query: { q: q || undefined, sort: "name", limit: SHOWN, all: isAdministrator || undefined } } })),
    placeholderData: (previous) => previous,
  });
  const projects = data?.items ?? [];
  const choose = (name: string) => {
    onChosen();
    navigate(projectPath(name));
  };
  return (
    <div className={styles.projects} role="dialog" aria-label={t("project.search")}>
      <Input
        autoFocus
        allowClear
        value={q}
        placeholder={t("project.search")}
        aria-label={t("project.search")}
        onChange={(event) => {
          setQ(event.target.value);
          setMarked(0);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "ArrowDown") setMarked(Math.min(marked + 1, projects.length - 1));
          else if (event.key === "ArrowUp") setMarked(Math.max(marked - 1, 0));
          else if (event.key === "Enter" && projects[marked]) choose(projects[marked].name);
          else return;
          event.preventDefault();
        }}
      />
      <ul className={styles.projectList}>
        {projects.map((project, index) => (
          <li key={project.id}>
            <button type="button" className={styles.projectItem} data-active={index === marked || undefined} onClick={() => choose(project.name)}>
              <span>{project.name}</span>
              {project.is_public && <Tag>{t("project.public")}</Tag>}
              {project.name === current && <CheckOutlined aria-label={t("project.current")} />}
            </button>
          </li>
        ))}
      </ul>
      {data && projects.length === 0 && <div className={styles.resultNone}>{t("project.noneFound")}</div>}
      {(canCreate || canManage) && (
        <div className={styles.projectFoot}>
          {canManage && (
            <Link to="/admin/projects" onClick={onChosen}>
              {t("project.all")}
            </Link>
          )}
          {canCreate && (
            <Link to="/admin/projects/new" onClick={onChosen}>
              {t("project.create")}
            </Link>
          )}
        </div>
      )}
    </div>
  );
}
