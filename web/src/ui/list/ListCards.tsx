import { Checkbox, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { RowsProps } from "./ListTable";
import { RowMenu } from "./RowMenu";
import styles from "./ListPage.module.css";

/** The same rows for a narrow screen: one card a row, the name on top, the other columns as labelled facts. */
export function ListCards<T extends object>(props: RowsProps<T>) {
  const { rows, columns, keyOf } = props;
  const [first, ...rest] = columns;
  return (
    <>
      <SortSelect {...props} />
      <ul className={styles.cards}>
        {rows.map((row) => (
          <li key={keyOf(row)} className={styles.card}>
            <div className={styles.cardHead}>
              <CardTick {...props} row={row} />
              <div className={styles.cardName}>{first?.render(row)}</div>
              {props.rowActions && <RowMenu name={props.nameOf(row)} actions={props.rowActions(row)} />}
            </div>
            <dl className={styles.facts}>
              {rest.map((column) => (
                <div key={column.key}>
                  <dt>{column.title}</dt>
                  <dd>{column.render(row)}</dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </>
  );
}

function CardTick<T>({ row, keyOf, nameOf, selection }: RowsProps<T> & { row: T }) {
  const { t } = useTranslation();
  if (!selection) return null;
  const key = keyOf(row);
  const toggle = (isOn: boolean) => selection.set(isOn ? [...selection.keys, key] : selection.keys.filter((other) => other !== key));
  return (
    <Checkbox
      aria-label={t("list.select", { name: nameOf(row) })}
      checked={selection.keys.includes(key)}
      onChange={(event) => toggle(event.target.checked)}
    />
  );
}

function SortSelect<T>({ columns, state }: RowsProps<T>) {
  const { t } = useTranslation();
  const options = columns.flatMap((column) =>
    column.sort
      ? [
          { value: column.sort, label: t("list.ascending", { column: column.title }) },
          { value: `-${column.sort}`, label: t("list.descending", { column: column.title }) },
        ]
      : [],
  );
  if (options.length === 0) return null;
  return (
    <Select
      className={styles.sort}
      size="small"
      variant="borderless"
      aria-label={t("list.sort")}
      value={state.sort || undefined}
      placeholder={t("list.sort")}
      options={options}
      onChange={(sort: string) => state.change({ sort })}
    />
  );
}
