/** Opens a version for annotation: what it is, its labels, what is still waiting in this browser; then the workbench. */
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router";
import { isNotFound } from "@/api/failure";
import { projectPath, useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { useMe } from "@/features/session/me";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { NotFound } from "@/ui/NotFound";
import { wantedIn } from "./addresses";
import { apiOf } from "./session/api";
import type { VersionPlace } from "./session/api";
import type { Wanted } from "./session/item-list";
import { leaveOutbox, takeOutbox } from "./session/outboxes";
import { Session } from "./session/session";
import { PlaceContext, SessionContext } from "./session/use-session";
import { Workbench } from "./Workbench";

export default function AnnotatePage() {
  const { t } = useTranslation("annotate");
  const project = useProjectName();
  const { dataset = "", version = "" } = useParams();
  const canWrite = useProjectPermission(project, "dataset.write");
  const me = useMe();
  const [attempt, setAttempt] = useState(0);
  const { session, error } = useOpened({ project, dataset, version }, me.id, canWrite, attempt);

  if (error) return isNotFound(error) ? <NotFound /> : <ErrorState error={error} onRetry={() => setAttempt(attempt + 1)} />;
  if (!session) return <Loading />;
  const home = projectPath(project, "datasets", dataset, "versions", version);
  if (session.version.items === 0) return <EmptyState title={t("noItems.title")} text={t("noItems.text")} action={<Link to={home}>{t("back")}</Link>} />;
  if (session.version.annotation_type === "none") return <EmptyState title={t("noType.title")} text={t("noType.text")} action={<Link to={home}>{t("back")}</Link>} />;
  return (
    <PlaceContext value={{ project, dataset, version }}>
      <SessionContext value={session}>
        <Workbench dataset={dataset} home={home} />
      </SessionContext>
    </PlaceContext>
  );
}

function useOpened(place: VersionPlace, user: string, canWrite: boolean, attempt: number): { session: Session | null; error: unknown } {
  const { project, dataset, version } = place;
  const key = [project, dataset, version, user, attempt].join("/");
  const [opened, setOpened] = useState<{ key: string; session: Session | null; error: unknown }>({ key, session: null, error: null });
  const [first] = useState(() => Number(new URLSearchParams(window.location.search).get("item")) || null);
  const [wanted] = useState(() => wantedIn(new URLSearchParams(window.location.search)));

  useEffect(() => {
    let session: Session | null = null;
    let versionId = "";
    let isGone = false;
    open({ project, dataset, version }, user, canWrite, wanted, first).then(
      (made) => {
        session = made;
        versionId = made.version.id;
        if (isGone) leave();
        else setOpened({ key, session: made, error: null });
      },
      (error: unknown) => !isGone && setOpened({ key, session: null, error }),
    );
    const leave = () => {
      session?.close();
      if (versionId) leaveOutbox(user, versionId);
    };
    return () => {
      isGone = true;
      leave();
    };
  }, [key, project, dataset, version, user, canWrite, wanted, first]);
  return opened.key === key ? opened : { session: null, error: null };
}

async function open(place: VersionPlace, user: string, canWrite: boolean, wanted: Wanted, first: number | null): Promise<Session> {
  const api = apiOf(place);
  const [version, labels] = await Promise.all([api.version(), api.labels()]);
  let session: Session | null = null;
  const outbox = await takeOutbox(user, version.id, {
    send: (seq, entry, base) => api.save(seq, entry, base),
    onStored: (...args) => session?.docs.stored(...args),
    onMerged: (...args) => session?.docs.merged(...args),
  });
  const made = (session = new Session(api, outbox, version, labels, canWrite));
  const listed = made.list.open(wanted, first);
  if (first !== null) await made.open(first);
  await listed;
  const [item] = made.list.get().items;
  if (!made.get().doc && item) await made.open(item.seq);
  // Nothing fits what the address asks for any more: everything instead of nothing.
  if (!made.get().doc && made.list.get().error === null) await made.filter({}, "seq");
  return made;
}
