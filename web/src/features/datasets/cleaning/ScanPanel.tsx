/** Looks at every picture: near duplicates, blurred and broken ones; what it finds can be set aside. */
import { SearchOutlined, StopOutlined } from "@ant-design/icons";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button, Checkbox, Form, InputNumber, Tag } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useConfirm } from "@/ui/confirm";
import { useFormat } from "@/lib/format";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { Loading } from "@/ui/Loading";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { datasetVersionPath, versionApi } from "../addresses";
import { useDatasetRefresh } from "../queries";
import type { DatasetVersionRef, FoundItem, ScanView } from "../types";
import { createScan, listFound, listScans, setFoundAside, stopScan } from "../works/api";
import { isUnderWay, worksKey } from "../works/news";
import { useWorks } from "../works/queries";
import { WorkProgress, WorkState } from "../works/WorkProgress";
import styles from "../works/Works.module.css";

interface Values {
  what: ("near_duplicates" | "blurred" | "broken")[];
  threshold: number;
  distance: number;
}

const WHAT = ["near_duplicates", "blurred", "broken"] as const;
const SHOWN_OF_GROUP = 6;

export function ScanPanel({ of, canWrite, isDraft }: { of: DatasetVersionRef; canWrite: boolean; isDraft: boolean }) {
  const { t } = useTranslation("datasets");
  const notify = useNotify();
  const { query, works } = useWorks(of, "scans", (page) => listScans(of, page));
  const [latest] = works;
  const start = async ({ what, threshold, distance }: Values) => {
    try {
      await createScan(of, { near_duplicates: what.includes("near_duplicates"), blurred: what.includes("blurred"), broken: what.includes("broken"), threshold, distance });
      await query.refetch();
    } catch (error) {
      notify.failed(error);
    }
  };
  return (
    <Panel title={t("cleaning.scan")}>
      <p className="tm-muted" style={{ marginBottom: 12 }}>
        {t("cleaning.scanText")}
      </p>
      {canWrite && <ScanForm isBusy={latest !== undefined && isUnderWay(latest)} onStart={start} />}
      {query.isPending && <Loading />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {latest && <Latest of={of} work={latest} canWrite={canWrite} isDraft={isDraft} onChanged={() => query.refetch()} />}
    </Panel>
  );
}

function ScanForm({ isBusy, onStart }: { isBusy: boolean; onStart: (values: Values) => Promise<void> }) {
  const { t } = useTranslation("datasets");
  return (
    <Form<Values> layout="vertical" requiredMark={false} initialValues={{ what: [...WHAT], threshold: 50, distance: 4 }} onFinish={(values) => void onStart(values)}>
      <Form.Item name="what" label={t("cleaning.find")} rules={[{ validator: (_rule, what: unknown[]) => (what.length > 0 ? Promise.resolve() : Promise.reject(new Error(t("cleaning.findMissing")))) }]}>
        <Checkbox.Group options={WHAT.map((value) => ({ value, label: t(`cleaning.what.${value}`) }))} />
      </Form.Item>
      <div className={styles.row}>
        <Form.Item name="threshold" label={t("cleaning.threshold")} required rules={[{ required: true, message: t("imports.framesMissing") }]} extra={t("cleaning.thresholdHint")}>
          <InputNumber min={0} max={5000} style={{ width: "100%" }} />
        </Form.Item>
        <Form.Item name="distance" label={t("cleaning.distance")} required rules={[{ required: true, message: t("imports.framesMissing") }]} extra={t("cleaning.distanceHint")}>
          <InputNumber min={0} max={10} precision={0} style={{ width: "100%" }} />
        </Form.Item>
      </div>
      <Button htmlType="submit" icon={<SearchOutlined aria-hidden />} loading={isBusy} style={{ marginBottom: 16 }}>
        {t("cleaning.scanStart")}
      </Button>
    </Form>
  );
}

interface LatestProps {
  of: DatasetVersionRef;
  work: ScanView;
  canWrite: boolean;
  isDraft: boolean;
  onChanged: () => Promise<unknown>;
}

function Latest({ of, work, canWrite, isDraft, onChanged }: LatestProps) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useDatasetRefresh();
  const count = (key: string) => Number(work.counts[key] ?? 0);
  const offers = ([["near_duplicates", "duplicates"], ["blurred", "blurred"], ["broken", "broken"]] as const).filter(([, key]) => count(key) > 0);
  const aside = (what: (typeof offers)[number][0], key: string) =>
    confirm({
      title: t("cleaning.asideTitle", { count: count(key) }),
      text: what === "near_duplicates" ? t("cleaning.asideDuplicates") : t("cleaning.asideText"),
      okText: t("cleaning.setAside"),
      isDanger: false,
      onConfirm: async () => {
        const { changed } = await setFoundAside(of, work.id, { near_duplicates: what === "near_duplicates", blurred: what === "blurred", broken: what === "broken" });
        await refresh.version(of);
        notify.done(t("items.changed", { count: changed }));
      },
    });
  return (
    <>
      <div className={styles.inline} style={{ marginBottom: 8 }}>
        <WorkState state={work.state} />
        <span className="tm-muted">
          <RelativeTime at={work.created_at} />
        </span>
        {isUnderWay(work) && canWrite && (
          <Button size="small" danger icon={<StopOutlined aria-hidden />} onClick={() => void stopScan(of, work.id).then(onChanged, notify.failed)}>
            {t("works.stop")}
          </Button>
        )}
      </div>
      <WorkProgress work={work} />
      {work.state === "done" && (
        <>
          <p>{offers.length === 0 ? t("cleaning.clean", { number: format.number(count("items")) }) : t("cleaning.result", { number: format.number(count("items")) })}</p>
          <div className={styles.inline} style={{ margin: "8px 0" }}>
            {offers.map(([what, key]) => (
              <Button key={what} size="small" disabled={!canWrite || !isDraft} title={isDraft ? undefined : t("files.published")} onClick={() => aside(what, key)}>
                {t(`cleaning.asideOffer.${what}`, { count: count(key) })}
              </Button>
            ))}
          </div>
          {offers.length > 0 && <Found of={of} work={work} />}
        </>
      )}
    </>
  );
}

function Found({ of, work }: { of: DatasetVersionRef; work: ScanView }) {
  const { t } = useTranslation(["datasets", "common"]);
  const found = useInfiniteQuery({
    queryKey: [...worksKey(of, "scans"), work.id, "found"],
    queryFn: ({ pageParam }) => listFound(of, work.id, pageParam),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next ?? null,
  });
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  return (
    <>
      <ul className={styles.list}>
        {found.data.pages
          .flatMap((page) => page.items)
          .map((one, index) => (
            <FoundRow key={index} of={of} found={one} />
          ))}
      </ul>
      {found.hasNextPage && (
        <Button size="small" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {t("common:list.more")}
        </Button>
      )}
    </>
  );
}

const KINDS: Record<FoundItem["what"], (typeof WHAT)[number]> = { near_duplicates: "near_duplicates", item_blurred: "blurred", item_broken: "broken" };

function FoundRow({ of, found }: { of: DatasetVersionRef; found: FoundItem }) {
  const { t } = useTranslation("datasets");
  const kind = KINDS[found.what];
  return (
    <li className={styles.found}>
      {kind !== "broken" &&
        found.seqs.slice(0, SHOWN_OF_GROUP).map((seq) => (
          <Link key={seq} to={`${datasetVersionPath(of)}?item=${seq}`} aria-label={t("items.one", { number: seq })}>
            <img src={`${versionApi(of)}/items/${seq}/thumbnail?size=128`} alt="" loading="lazy" />
          </Link>
        ))}
      <p>
        <Tag>{t(`cleaning.what.${kind}`)}</Tag> <span className={styles.path}>{found.path}</span>
        <br />
        <span className="tm-muted">{found.message}</span>
      </p>
    </li>
  );
}
