import { useQuery } from "@tanstack/react-query";
import { Segmented, Skeleton } from "antd";
import { useTranslation } from "react-i18next";
import { useAddress } from "@/ui/address";
import { CommandLine } from "@/ui/CommandLine";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import type { ServiceRef } from "../api";
import { snippetsQuery } from "../queries";
import type { Snippet } from "../types";
import styles from "../Services.module.css";

/** Names of programs are the same in every language. */
const NAMES: Record<Snippet["name"], string> = { curl: "curl", python: "Python", "tritonclient-http": "tritonclient (HTTP)", "tritonclient-grpc": "tritonclient (gRPC)" };

/** How to call it, to copy: curl, Python, tritonclient. */
export function SnippetsPanel({ of, needsKey }: { of: ServiceRef; needsKey: boolean }) {
  const { t } = useTranslation("services");
  const [params, change] = useAddress();
  const snippets = useQuery(snippetsQuery(of));
  const items = snippets.data?.items ?? [];
  const current = items.find((one) => one.name === params.get("snippet")) ?? items[0];
  return (
    <Panel title={t("snippets.title")}>
      {snippets.isPending && <Skeleton active title={false} />}
      {snippets.isError && <ErrorState error={snippets.error} onRetry={() => void snippets.refetch()} />}
      {current && (
        <>
          <div className={styles.tools}>
            <Segmented<Snippet["name"]> aria-label={t("snippets.title")} value={current.name} options={items.map(({ name }) => ({ value: name, label: NAMES[name] }))} onChange={(name) => change({ snippet: name === items[0]?.name ? null : name })} />
          </div>
          {needsKey && <p className={styles.about}>{t("snippets.key")}</p>}
          <CommandLine text={current.code} />
                  </>
      )}
    </Panel>
  );
}
