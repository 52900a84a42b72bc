/** Suggestions of many items: those ticked, as one step of this session; or all there are, by how sure the model was. */
import { CheckOutlined, CloseOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { useLastDecision } from "@/features/auto/deciding";
import { SuggestionsBar } from "@/features/auto/SuggestionsBar";
import { suggestionsIn } from "../model/suggestions";
import { useItemList, usePlace, useSession, useSessionState } from "../session/use-session";
import styles from "../Workbench.module.css";

export function DecideTicked() {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const ticked = useSessionState((state) => state.ticked);
  const isOpen = useSessionState(() => [...ticked].some((seq) => suggestionsIn(session.docs.find(seq)?.annotations ?? []).length > 0));
  if (!isOpen || !session.version.can_annotate) return null;
  return (
    <>
      <Button size="small" icon={<CheckOutlined aria-hidden />} onClick={() => session.decideItems("accept", [...ticked])}>
        {t("suggestions.accept")}
      </Button>
      <Button size="small" icon={<CloseOutlined aria-hidden />} onClick={() => session.decideItems("reject", [...ticked])}>
        {t("suggestions.reject")}
      </Button>
    </>
  );
}

export function BulkSuggestions() {
  const session = useSession();
  const { project, dataset, version: number } = usePlace();
  const of = { project, dataset, version: Number(number) };
  const last = useLastDecision(of);
  const { filter } = useItemList();
  const { data: version = session.version } = useQuery({ queryKey: ["annotate", "counts", session.version.id], queryFn: () => session.api.version(), initialData: session.version });
  const waiting = version.states.suggested ?? 0;
  if (!session.version.can_annotate || (waiting === 0 && filter.state !== "suggested" && !last)) return null;
  const { label, q } = filter;
  return (
    <div className={styles.bulkBar}>
      <SuggestionsBar
        of={of}
        chosen={{ filter: { state: "suggested", ...(label ? { label } : {}), ...(q ? { q } : {}) } }}
        canDecide={waiting > 0}
        isWhole={!label && !q}
        before={() => session.settled()}
        onChanged={() => void session.reload()}
      />
    </div>
  );
}
