import { SearchOutlined } from "@ant-design/icons";
import { Button, Grid, Input, Modal } from "antd";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { api, unwrap } from "@/api/client";
import { IconButton } from "@/ui/IconButton";
import { useEntries } from "./Navigation";
import styles from "./Frame.module.css";

interface Hit {
  key: string;
  name: string;
  detail: string;
  kind: string;
  to: string;
}

/** Ctrl-K: go to anything by its name. */
export function GlobalSearch() {
  const { t } = useTranslation("shell");
  const { lg: isWide } = Grid.useBreakpoint();
  const [isOpen, setOpen] = useState(false);

  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOpen(true);
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      {isWide ? (
        <Button className={styles.searchButton} onClick={() => setOpen(true)}>
          <SearchOutlined aria-hidden />
          {t("search.label")}
          <kbd>{t("search.shortcut")}</kbd>
        </Button>
      ) : (
        <IconButton icon={<SearchOutlined aria-hidden />} label={t("search.label")} onClick={() => setOpen(true)} />
      )}
      <Modal
        open={isOpen}
        onCancel={() => setOpen(false)}
        title={<span className="tm-hidden">{t("search.label")}</span>}
        styles={{ header: { margin: 0 } }}
        footer={null}
        closable={false}
        destroyOnHidden
        width={560}
        style={{ top: 80 }}
      >
        <SearchPanel onDone={() => setOpen(false)} />
      </Modal>
    </>
  );
}

function SearchPanel({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation("shell");
  const navigate = useNavigate();
  const listId = useId();
  const [q, setQ] = useState("");
  const [marked, setMarked] = useState(0);
  const { hits, isSearching } = useHits(q);
  const list = useRef<HTMLUListElement>(null);

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [marked]);

  const go = (hit: Hit) => {
    onDone();
    navigate(hit.to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") setMarked((marked + 1) % Math.max(hits.length, 1));
    else if (event.key === "ArrowUp") setMarked((marked - 1 + hits.length) % Math.max(hits.length, 1));
    else if (event.key === "Enter" && hits[marked]) go(hits[marked]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <Input
        autoFocus
        size="large"
        variant="borderless"
        prefix={<SearchOutlined aria-hidden />}
        placeholder={t("search.placeholder")}
        value={q}
        role="combobox"
        aria-label={t("search.label")}
        aria-expanded={hits.length > 0}
        aria-controls={listId}
        aria-activedescendant={hits[marked] ? `${listId}-${marked}` : undefined}
        onChange={(event) => {
          setQ(event.target.value);
          setMarked(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id={listId} className={styles.results} role="listbox" aria-label={t("search.results")}>
        {hits.map((hit, index) => (
          // The keyboard is handled at the text field, as the combobox pattern asks.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events
          <li key={hit.key} id={`${listId}-${index}`} className={styles.result} role="option" aria-selected={index === marked} onMouseMove={() => setMarked(index)} onClick={() => go(hit)}>
            <span className={styles.resultWords}>
              {hit.name}
              {hit.detail && <small>{hit.detail}</small>}
            </span>
            <span className={styles.resultKind}>{hit.kind}</span>
          </li>
        ))}
      </ul>
      {hits.length === 0 && <div className={styles.resultNone}>{isSearching ? t("search.searching") : t("search.nothing")}</div>}
      <div className={styles.keys} aria-hidden>
        <span>{t("search.keyMove")}</span>
        <span>{t("search.keyOpen")}</span>
        <span>{t("search.keyClose")}</span>
      </div>
    </>
  );
}

function useHits(q: string): { hits: Hit[]; isSearching: boolean } {
  const { t } = useTranslation("shell");
  const entries = useEntries();
  const wanted = q.trim().toLowerCase();
  const found = useQuery({
    queryKey: ["search", wanted],
    queryFn: ({ signal }) => unwrap(api.GET("/api/v1/search", { params: { query: { q: wanted, limit: 20 } }, signal })),
    enabled: wanted !== "",
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  const pages = entries
    .flatMap(({ pages }) => pages)
    .map(({ page, to }): Hit => ({ key: to, name: page.nav ? t(page.nav.label) : "", detail: "", kind: t("search.kind.page"), to }))
    .filter((hit) => hit.name.toLowerCase().includes(wanted));
  const things = (wanted === "" ? [] : (found.data?.items ?? [])).map(
    (item): Hit => ({
      key: item.id,
      name: item.name,
      detail: [item.project, item.description].filter(Boolean).join(" · "),
      kind: t(`search.kind.${item.kind}`),
      to: item.link,
    }),
  );
  return { hits: [...things, ...pages], isSearching: wanted !== "" && found.isFetching };
}
