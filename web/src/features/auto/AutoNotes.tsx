/** What the model could not look at, line by line. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button, Modal } from "antd";
import { useTranslation } from "react-i18next";
import type { DatasetVersionRef } from "@/features/datasets/types";
import { worksKey } from "@/features/datasets/works/news";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { listAutoNotes } from "./api";
import type { AutoView } from "./types";
import workStyles from "@/features/datasets/works/Works.module.css";

export function AutoNotes({ of, work, onClose }: { of: DatasetVersionRef; work: AutoView; onClose: () => void }) {
  const { t } = useTranslation(["auto", "common"]);
  const notes = useInfiniteQuery({
    queryKey: [...worksKey(of, "auto"), work.id, "notes"],
    queryFn: ({ pageParam }) => listAutoNotes(of, work.id, pageParam),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next ?? null,
  });
  return (
    <Modal open title={t("notesTitle")} footer={null} width={640} onCancel={onClose}>
      {notes.isPending && <Loading />}
      {notes.isError && <ErrorState error={notes.error} onRetry={() => void notes.refetch()} />}
      <ul className={workStyles.samples}>
        {notes.data?.pages
          .flatMap((page) => page.items)
          .map((line, index) => (
            <li key={index}>
              <span>
                {line.path && <code className={workStyles.path}>{line.path}</code>} {line.message}
              </span>
            </li>
          ))}
      </ul>
      {notes.hasNextPage && (
        <Button size="small" loading={notes.isFetchingNextPage} onClick={() => void notes.fetchNextPage()}>
          {t("common:list.more")}
        </Button>
      )}
    </Modal>
  );
}
