/** The thing shape: name, state, id to copy, actions; tabs kept in the address. */
import { Skeleton } from "antd";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useSearchParams } from "react-router";
import { isNotFound } from "@/api/failure";
import { CopyText } from "./CopyText";
import { ErrorState } from "./ErrorState";
import { NotFound } from "./NotFound";
import { useNamePage } from "./page-name";
import { PageHeader } from "./PageHeader";
import { TabBar } from "./TabBar";

export interface ThingTab {
  key: string;
  label: string;
  content: ReactNode;
}

export interface ThingPageProps<T> {
  query: UseQueryResult<T>;
  render: (thing: T) => ThingParts;
}

export interface ThingParts {
  name: ReactNode;
  id: string;
  badge?: ReactNode;
  facts?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** Between the header and the tabs: what all tabs are about, such as the chosen version. */
  banner?: ReactNode;
  tabs: ThingTab[];
}

export function ThingPage<T>({ query, render }: ThingPageProps<T>) {
  if (query.isPending) return <Skeleton active paragraph={{ rows: 8 }} />;
  if (query.data === undefined) {
    if (isNotFound(query.error)) return <NotFound />;
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  }
  return <Thing {...render(query.data)} />;
}

function Thing({ name, id, badge, facts, description, actions, banner, tabs }: ThingParts) {
  useNamePage(typeof name === "string" ? name : null);
  const title = (
    <>
      {name}
      {badge}
    </>
  );
  const known = (
    <>
      <CopyText text={id} />
      {facts}
    </>
  );
  return (
    <section>
      <PageHeader title={title} description={description} facts={known} actions={actions} />
      {banner}
      <ThingTabs tabs={tabs} />
    </section>
  );
}

function ThingTabs({ tabs }: { tabs: ThingTab[] }) {
  const [params, setParams] = useSearchParams();
  const wanted = params.get("tab");
  const current = tabs.find((tab) => tab.key === wanted) ?? tabs[0];
  if (!current) return null;
  if (tabs.length === 1) return current.content;
  return (
    <TabBar
      tabs={tabs}
      current={current.key}
      // Only the tab is carried over: filters of one tab mean nothing in another.
      onChange={(key) => setParams(key === tabs[0]?.key ? {} : { tab: key })}
    >
      {current.content}
    </TabBar>
  );
}
