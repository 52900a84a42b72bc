/** The items that went worst, each with what is true and what the model said. */
import { AudioOutlined, FileTextOutlined } from "@ant-design/icons";
import { Button, Checkbox, Select, Skeleton } from "antd";
import { useState } from "react";
import type { CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { datasetVersionPath } from "@/features/datasets/addresses";
import { ItemContent } from "@/features/datasets/items/ItemContent";
import { textOf } from "@/features/datasets/items/Picture";
import type { DatasetVersionRef, ItemView } from "@/features/datasets/types";
import { useFormat } from "@/lib/format";
import { useThemeMode } from "@/theme/mode";
import { workbenchColours } from "@/theme/tokens";
import { EmptyState } from "@/ui/EmptyState";
import { useAddress } from "@/ui/address";
import { ExampleDrawer } from "./ExampleDrawer";
import { ExamplePicture } from "./ExamplePicture";
import type { Shown } from "./ExamplePicture";
import { BACKGROUND, filtered, reasons, rowOf } from "./examples";
import { useItem } from "./item-query";
import { Key } from "./Key";
import { Said } from "./Said";
import type { Example } from "./result";
import { useWhyText } from "./why-text";
import styles from "./Examples.module.css";

const PAGE = 12;
const NO_LABELS = new Map<number, never>();

interface WorstTabProps {
  /** Null where the dataset is gone or not to be seen. */
  of: DatasetVersionRef | null;
  examples: Example[];
  labels: string[];
}

export function WorstTab({ of, examples, labels }: WorstTabProps) {
  const { t } = useTranslation("evaluations");
  const [params, change] = useAddress();
  const [count, setCount] = useState(PAGE);
  const [shown, setShown] = useState<Shown>({ truth: true, predicted: true });
  const colours = useOutlineColours();
  const filter = { why: params.get("why"), truth: params.get("truth"), predicted: params.get("predicted") };
  const found = filtered(examples, filter);
  const open = found.findIndex((one) => String(one.seq) === params.get("example"));
  if (examples.length === 0) return <EmptyState title={t("worst.none")} text={t("worst.noneText")} />;
  return (
    <div style={colours}>
      <Tools examples={examples} labels={labels} filter={filter} shown={shown} onShown={setShown} onChange={change} found={found.length} />
      {found.length === 0 && <EmptyState picture="search" title={t("worst.nothingFound")} text={t("worst.nothingFoundText")} action={<Button onClick={() => change({ why: null, truth: null, predicted: null })}>{t("worst.all")}</Button>} />}
      <ul className={styles.grid}>
        {found.slice(0, count).map((example) => (
          <Card key={example.seq} of={of} example={example} shown={shown} onOpen={() => change({ example: String(example.seq) })} />
        ))}
      </ul>
      {found.length > count && (
        <p style={{ marginTop: 16, textAlign: "center" }}>
          <Button onClick={() => setCount(count + PAGE)}>{t("worst.more")}</Button>
        </p>
      )}
      {open >= 0 && <ExampleDrawer of={of} examples={found} at={open} shown={shown} colours={colours} onOpen={(at) => change({ example: at === null ? null : String(found[at]?.seq ?? "") })} />}
    </div>
  );
}

interface ToolsProps {
  examples: Example[];
  labels: string[];
  filter: { why: string | null; truth: string | null; predicted: string | null };
  shown: Shown;
  onShown: (shown: Shown) => void;
  onChange: (changes: Record<string, string | null>) => void;
  found: number;
}

function Tools({ examples, labels, filter, shown, onShown, onChange, found }: ToolsProps) {
  const { t } = useTranslation("evaluations");
  const format = useFormat();
  const whyText = useWhyText();
  const offered = labels.map((label) => ({ value: label, label: label === BACKGROUND ? t("confusion.background") : label }));
  const select = (key: "why" | "truth" | "predicted", placeholder: string, options: { value: string; label: string }[]) => (
    <Select className={styles.select} allowClear showSearch={{ optionFilterProp: "label" }} aria-label={placeholder} placeholder={placeholder} value={filter[key] ?? undefined} options={options} onChange={(value?: string) => onChange({ [key]: value ?? null })} />
  );
  return (
    <div className={styles.tools}>
      {select("why", t("worst.why"), reasons(examples).map((why) => ({ value: why, label: whyText(why) })))}
      {labels.length > 1 && select("truth", t("worst.truthIs"), offered)}
      {labels.length > 1 && select("predicted", t("worst.predictedIs"), offered)}
      {(["truth", "predicted"] as const).map((kind) => (
        <Checkbox key={kind} checked={shown[kind]} onChange={(event) => onShown({ ...shown, [kind]: event.target.checked })}>
          <Key kind={kind} />
        </Checkbox>
      ))}
      <span className={styles.end}>{t("worst.count", { count: found, number: format.number(found) })}</span>
    </div>
  );
}

interface CardProps {
  of: DatasetVersionRef | null;
  example: Example;
  shown: Shown;
  onOpen: () => void;
}

function Card({ of, example, shown, onOpen }: CardProps) {
  const { t } = useTranslation("evaluations");
  const format = useFormat();
  const whyText = useWhyText();
  return (
    <li className={styles.card}>
      {of && <Look of={of} example={example} shown={shown} onOpen={onOpen} />}
      <div className={styles.body}>
        <div className={styles.head}>
          {of ? (
            <Link className={styles.path} to={`${datasetVersionPath(of)}?item=${example.seq}`} title={example.path}>
              {example.path || t("worst.item", { number: example.seq })}
            </Link>
          ) : (
            <span className={styles.path}>{example.path}</span>
          )}
          <span className="tm-muted" title={t("worst.badness")}>
            {format.percent(example.badness)}
          </span>
        </div>
        <span className={styles.why}>{whyText(example.why)}</span>
        <Said example={example} />
      </div>
    </li>
  );
}

function Look({ of, example, shown, onOpen }: CardProps & { of: DatasetVersionRef }) {
  const { t } = useTranslation("evaluations");
  const item = useItem(of, example.seq);
  if (item.isPending) return <Skeleton.Node active style={{ width: "100%", height: 180 }} />;
  if (item.data?.media.startsWith("audio/")) {
    return (
      <div className={styles.sound}>
        <ItemContent of={of} item={item.data} annotations={[]} labels={NO_LABELS} highlighted={null} />
      </div>
    );
  }
  return (
    <button type="button" className={styles.open} aria-label={t("worst.open", { name: example.path || example.seq })} onClick={onOpen}>
      {item.data ? <Small of={of} item={item.data} example={example} shown={shown} /> : <span className={styles.words}>{t("worst.gone")}</span>}
    </button>
  );
}

function Small({ of, item, example, shown }: { of: DatasetVersionRef; item: ItemView; example: Example; shown: Shown }) {
  if (item.media.startsWith("image/")) return <ExamplePicture of={of} item={item} example={example} shown={shown} />;
  const text = textOf(item);
  const row = text === null ? null : rowOf(text);
  if (row) return <Row cells={row} />;
  if (text) return <span className={styles.words}>{text}</span>;
  return item.media.startsWith("audio/") ? <AudioOutlined aria-hidden /> : <FileTextOutlined aria-hidden />;
}

/** A table's row: its columns with their values. */
function Row({ cells }: { cells: [string, string][] }) {
  return (
    <dl className={styles.cells}>
      {cells.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Seen on pictures of any colour; truth and prediction differ by their line too. */
function useOutlineColours(): CSSProperties {
  const colours = workbenchColours(useThemeMode());
  return { "--tm-truth": colours.mine, "--tm-predicted": colours.theirs, "--tm-casing": colours.handleEdge } as CSSProperties;
}
