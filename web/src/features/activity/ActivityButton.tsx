import { BellOutlined, CloseCircleOutlined } from "@ant-design/icons";
import { App, Badge, Button, Popover, Tabs } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import type { JobView, NotificationView } from "@/api/types";
import { IconButton } from "@/ui/IconButton";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { isUnfinished, useCancelJob, useJobs } from "./jobs";
import { JobBadge, JobProgress } from "./JobState";
import { onNotification } from "./live-events";
import { useMarkRead, useNotifications } from "./notifications";
import styles from "./Activity.module.css";

/** Background work with progress, and what has finished since. */
export function ActivityButton() {
  const { t } = useTranslation("activity");
  const [isOpen, setOpen] = useState(false);
  const jobs = useJobs().data?.items ?? [];
  const notifications = useNotifications().data?.items ?? [];
  const running = jobs.filter(isUnfinished).length;
  const unread = notifications.filter((notification) => !notification.read_at).length;
  useArrivals(() => setOpen(true));

  const label = [t("label"), running > 0 && t("running", { count: running }), unread > 0 && t("unread", { count: unread })].filter(Boolean).join(", ");
  const content = (
    <div role="dialog" aria-label={t("label")}>
      <Tabs
        className={styles.panel}
        size="small"
        defaultActiveKey={running > 0 || unread === 0 ? "jobs" : "notifications"}
        items={[
          { key: "jobs", label: t("jobs"), children: <JobList jobs={jobs} onGone={() => setOpen(false)} /> },
          { key: "notifications", label: t("notifications"), children: <NotificationList notifications={notifications} onGone={() => setOpen(false)} /> },
        ]}
      />
    </div>
  );
  return (
    <Popover open={isOpen} onOpenChange={setOpen} trigger="click" placement="bottomRight" arrow={false} destroyOnHidden content={content}>
      <Badge count={running + unread} size="small" offset={[-6, 6]}>
        <IconButton icon={<BellOutlined aria-hidden />} label={label} aria-haspopup="dialog" isOpen={isOpen} />
      </Badge>
    </Popover>
  );
}

/** Shows what has just finished, wherever the user is. */
function useArrivals(onOpen: () => void): void {
  const { notification } = App.useApp();
  const navigate = useNavigate();
  useEffect(
    () =>
      onNotification((arrival) => {
        notification[toneOf(arrival)]({
          key: arrival.id,
          title: arrival.title,
          description: arrival.body || undefined,
          placement: "bottomRight",
          onClick: () => {
            notification.destroy(arrival.id);
            if (arrival.link) navigate(arrival.link);
            else onOpen();
          },
        });
      }),
    [notification, navigate, onOpen],
  );
}

function toneOf({ state }: NotificationView): "success" | "error" | "info" {
  return state === "success" || state === "error" ? state : "info";
}

function JobList({ jobs, onGone }: { jobs: JobView[]; onGone: () => void }) {
  const { t } = useTranslation("activity");
  const cancel = useCancelJob();
  const notify = useNotify();
  if (jobs.length === 0) return <p className={styles.none}>{t("noJobs")}</p>;
  return (
    <ul className={styles.list}>
      {jobs.map((job) => (
        <li key={job.id} className={styles.item}>
          <div className={styles.head}>
            <span className={styles.name}>{job.link ? <Link to={job.link} onClick={onGone}>{job.name}</Link> : job.name}</span>
            <JobBadge state={job.state} />
            {isUnfinished(job) && !job.cancel_requested && (
              <IconButton size="small" icon={<CloseCircleOutlined aria-hidden />} label={t("cancel", { name: job.name })} onClick={() => cancel.mutate(job, { onError: notify.failed })} />
            )}
          </div>
          <JobProgress job={job} />
          <small className="tm-muted">
            <RelativeTime at={job.finished_at ?? job.created_at} />
          </small>
        </li>
      ))}
    </ul>
  );
}

function NotificationList({ notifications, onGone }: { notifications: NotificationView[]; onGone: () => void }) {
  const { t } = useTranslation("activity");
  const markRead = useMarkRead();
  const hasUnread = notifications.some((notification) => !notification.read_at);
  if (notifications.length === 0) return <p className={styles.none}>{t("noNotifications")}</p>;
  return (
    <>
      <ul className={styles.list}>
        {notifications.map((item) => (
          <li key={item.id} className={styles.item} data-unread={!item.read_at || undefined} data-state={item.state}>
            <div className={styles.head}>
              <span className={styles.name}>
                {item.link ? (
                  <Link
                    to={item.link}
                    onClick={() => {
                      markRead.mutate([item.id]);
                      onGone();
                    }}
                  >
                    {item.title}
                  </Link>
                ) : (
                  item.title
                )}
              </span>
            </div>
            {item.body && <div>{item.body}</div>}
            <small className="tm-muted">
              <RelativeTime at={item.created_at} />
            </small>
          </li>
        ))}
      </ul>
      {hasUnread && (
        <Button size="small" type="link" loading={markRead.isPending} onClick={() => markRead.mutate(undefined)}>
          {t("markAll")}
        </Button>
      )}
    </>
  );
}
