import { DownloadOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { sampleAddress } from "../works/api";
import { formatsQuery } from "../works/queries";
import styles from "../works/Works.module.css";

/** Recognised by content unless one is chosen. */
export function FormatField() {
  const { t } = useTranslation("datasets");
  const formats = useQuery(formatsQuery);
  const readable = (formats.data?.items ?? []).filter((format) => format.reads);
  return (
    <Form.Item name="format" label={t("imports.format")} extra={t("imports.formatHint")}>
      <Select
        allowClear
        loading={formats.isPending}
        placeholder={t("imports.recognised")}
        showSearch={{ optionFilterProp: "label" }}
        options={readable.map(({ name, title, description }) => ({ value: name, label: title, description }))}
        optionRender={({ data, label }) => (
          <div>
            {label}
            <div className={styles.formatText}>{data.description}</div>
          </div>
        )}
      />
    </Form.Item>
  );
}

/** A small archive of each format, to look at and to try. */
export function Samples() {
  const { t } = useTranslation("datasets");
  const formats = useQuery(formatsQuery);
  if (formats.isPending) return <Loading />;
  if (formats.isError) return <ErrorState error={formats.error} onRetry={() => void formats.refetch()} />;
  return (
    <ul className={styles.samples}>
      {formats.data.items
        .filter((format) => format.has_sample)
        .map(({ name, title, description }) => (
          <li key={name}>
            <span>
              {title}
              <span className={styles.sourceText}>{description}</span>
            </span>
            <a href={sampleAddress(name)} aria-label={t("imports.sampleOf", { name: title })} download>
              <DownloadOutlined aria-hidden /> {t("imports.sample")}
            </a>
          </li>
        ))}
    </ul>
  );
}
