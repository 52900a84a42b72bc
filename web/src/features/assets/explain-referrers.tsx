/** What a dialog says of a deletion that was refused: what stands in the way, each with the way there. */
import { useNavigate } from "react-router";
import type { ConfirmRequest } from "@/ui/confirm";
import { Referrers } from "./Referrers";

export function useExplainReferrers(): NonNullable<ConfirmRequest["explain"]> {
  const navigate = useNavigate();
  return (error, close) => (
    <Referrers
      error={error}
      onOpen={(link) => {
        close();
        void navigate(link);
      }}
    />
  );
}
