/** What the format could not carry, line by line. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button, Modal } from "antd";
import { useTranslation } from "react-i18next";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import type { DatasetVersionRef, ExportView } from "../types";
import { listExportNotes } from "../works/api";
import { worksKey } from "../works/news";
import styles from "../works/Works.module.css";

export function ExportNotes({ of, work, onClose }: { of: DatasetVersionRef; work: ExportView; onClose: () => void }) {
  const { t } = useTranslation(["datasets", "common"]);
  const notes = useInfiniteQuery({
    queryKey: [...worksKey(of, "exports"), work.id, "notes"],
    queryFn: ({ pageParam }) => listExportNotes(of, work.id, pageParam),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next ?? null,
  });
  return (
    <Modal open title={t("exports.notesTitle")} footer={null} width={640} onCancel={onClose}>
      {notes.isPending && <Loading />}
      {notes.isError && <ErrorState error={notes.error} onRetry={() => void notes.refetch()} />}
      <ul className={styles.samples}>
        {notes.data?.pages
          .flatMap((page) => page.items)
          .map((line, index) => (
            <li key={index}>
              <span>
                {line.path && <code className={styles.path}>{line.path}</code>} {line.message}
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
