/** Well-known pretrained models: what they do, under which licence, and whether they are here. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Tooltip } from "antd";
import { useEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useTaskText } from "@/features/models/words";
import { useFormat } from "@/lib/format";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn, ListFilter, ListQuery } from "@/ui/list/types";
import { EntryState } from "./EntryState";
import { licencesOf, narrowed } from "./narrowing";
import type { Size } from "./narrowing";
import { catalogueKey, catalogueQuery } from "./queries";
import type { CatalogueEntry } from "./types";
import styles from "./Catalogue.module.css";

const STATES: CatalogueEntry["state"][] = ["installed", "installing", "not_installed"];
const SIZES: Size[] = ["small", "middle", "large"];
const LABELS_SHOWN = 40;
/** One reading serves every search and order that follows it at once. */
const FRESH_MS = 500;

export default function CataloguePage() {
  const { t } = useTranslation(["catalogue", "common"]);
  const client = useQueryClient();
  const all = useQuery(catalogueQuery);
  const filters = useFilters(all.data?.items ?? []);
  const columns = useColumns();
  const load = async (query: ListQuery) => {
    const { items } = await client.fetchQuery({ ...catalogueQuery, staleTime: FRESH_MS });
    const found = narrowed(items, query);
    return { items: found, next: null, total: found.length, total_capped: false };
  };
  useEffect(() => {
    void client.invalidateQueries({ queryKey: [...catalogueKey, "list"] });
  }, [client, all.dataUpdatedAt]);
  return (
    <ListPage<CatalogueEntry>
      listKey="catalogue"
      queryKey={[...catalogueKey, "list"]}
      load={load}
      title={t("title")}
      description={t("about")}
      columns={columns}
      filters={filters}
      keyOf={(entry) => entry.name}
      nameOf={(entry) => entry.title}
      empty={{ title: t("none"), text: t("noneText") }}
    />
  );
}

function useFilters(entries: readonly CatalogueEntry[]): ListFilter[] {
  const { t } = useTranslation(["catalogue", "common"]);
  const taskText = useTaskText();
  return useMemo(() => {
    const tasks = [...new Set(entries.map((entry) => entry.task))];
    return [
      { kind: "select", key: "task", label: t("task"), options: tasks.map((value) => ({ value, label: taskText(value) })) },
      { kind: "select", key: "licence", label: t("licence"), options: licencesOf(entries).map((value) => ({ value, label: value })) },
      { kind: "select", key: "size", label: t("sizeLabel"), options: SIZES.map((value) => ({ value, label: t(`size.${value}`) })) },
      { kind: "select", key: "state", label: t("common:field.state"), options: STATES.map((value) => ({ value, label: t(`state.${value}`) })) },
    ];
  }, [entries, t, taskText]);
}

function useColumns(): ListColumn<CatalogueEntry>[] {
  const { t } = useTranslation(["catalogue", "common"]);
  const taskText = useTaskText();
  const format = useFormat();
  return [
    {
      key: "name",
      title: t("common:field.name"),
      sort: "name",
      render: (entry) => (
        <div className={styles.about}>
          <span className={styles.title}>
            {entry.title} <code>{entry.name}</code>
          </span>
          <span className="tm-muted">{entry.description}</span>
        </div>
      ),
    },
    { key: "task", title: t("task"), width: 140, render: (entry) => taskText(entry.task) },
    { key: "labels", title: t("labels"), width: 90, align: "right", render: (entry) => <Labels entry={entry} /> },
    { key: "size", title: t("sizeLabel"), sort: "size_bytes", width: 100, align: "right", render: (entry) => format.bytes(entry.size_bytes) },
    { key: "licence", title: t("licence"), width: 130, render: (entry) => <Licence entry={entry} /> },
    { key: "state", title: t("common:field.state"), width: 260, render: (entry) => <EntryState entry={entry} /> },
  ];
}

function Labels({ entry: { labels } }: { entry: CatalogueEntry }) {
  const { t } = useTranslation("catalogue");
  const format = useFormat();
  if (labels.length === 0) return <span className="tm-muted">–</span>;
  const names = labels.slice(0, LABELS_SHOWN).join(", ");
  return (
    <Tooltip title={labels.length > LABELS_SHOWN ? t("labelsAndMore", { names, count: labels.length - LABELS_SHOWN }) : names}>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what it says on hover is also had by keyboard */}
      <span tabIndex={0}>{format.number(labels.length)}</span>
    </Tooltip>
  );
}

function Licence({ entry: { licence, licence_url } }: { entry: CatalogueEntry }) {
  if (!licence_url) return licence;
  return (
    <a href={licence_url} target="_blank" rel="noreferrer">
      {licence}
    </a>
  );
}
