/** Where data comes from; each kind has its own fields. */
import { Form, Input, InputNumber, Radio, Select, Switch } from "antd";
import { useTranslation } from "react-i18next";
import { AssetVersionSelect } from "@/features/workloads/AssetVersionSelect";
import { FilesInput } from "./FilesInput";
import { FolderInput } from "./FolderInput";
import { ADDRESSES_MAX, FILES_MAX, FROM, parseAddresses } from "./import-values";
import type { From } from "./import-values";
import type { Picked } from "@/features/files/upload/pick";
import styles from "../works/Works.module.css";

const COLUMNS = ["content", "path", "label", "annotations", "split", "separator"] as const;

export function SourceFields({ project }: { project: string }) {
  const { t } = useTranslation("datasets");
  const from = Form.useWatch<From>("from") ?? "upload";
  return (
    <>
      <Form.Item name="from">
        <Radio.Group className={styles.sources} aria-label={t("imports.source")}>
          {FROM.map((kind) => (
            <Radio key={kind} value={kind}>
              {t(`imports.from.${kind}`)}
              <span className={styles.sourceText}>{t(`imports.fromText.${kind}`)}</span>
            </Radio>
          ))}
        </Radio.Group>
      </Form.Item>
      {from === "upload" && <UploadFields />}
      {from === "server" && (
        <Form.Item name={["source", "path"]} label={t("imports.path")} required rules={[{ required: true, whitespace: true, message: t("imports.pathMissing") }]}>
          <FolderInput project={project} />
        </Form.Item>
      )}
      {from === "s3" && <S3Fields />}
      {from === "database" && <DatabaseFields />}
      {from === "addresses" && <AddressFields />}
      {from === "dataset" && <DatasetFields project={project} />}
    </>
  );
}

function UploadFields() {
  const { t } = useTranslation("datasets");
  return (
    <Form.Item
      name={["source", "files"]}
      label={t("imports.files")}
      required
      extra={t("imports.filesHint")}
      rules={[
        {
          validator: (_rule, picked: Picked | null | undefined) => {
            const count = picked?.files.length ?? 0;
            if (count === 0) return Promise.reject(new Error(t("imports.filesMissing")));
            return count > FILES_MAX ? Promise.reject(new Error(t("imports.filesMany", { max: FILES_MAX }))) : Promise.resolve();
          },
        },
      ]}
    >
      <FilesInput />
    </Form.Item>
  );
}

function S3Fields() {
  const { t } = useTranslation("datasets");
  return (
    <>
      <Form.Item name={["source", "endpoint"]} label={t("imports.endpoint")} extra={t("imports.endpointHint")}>
        <Input placeholder="https://minio.example.com" autoComplete="off" />
      </Form.Item>
      <div className={styles.row}>
        <Form.Item name={["source", "bucket"]} label={t("imports.bucket")} required rules={[{ required: true, whitespace: true, message: t("imports.bucketMissing") }]}>
          <Input autoComplete="off" />
        </Form.Item>
        <Form.Item name={["source", "prefix"]} label={t("imports.prefix")}>
          <Input placeholder={t("imports.prefixNone")} autoComplete="off" />
        </Form.Item>
        <Form.Item name={["source", "region"]} label={t("imports.region")}>
          <Input placeholder="us-east-1" autoComplete="off" />
        </Form.Item>
      </div>
      <div className={styles.row}>
        <Form.Item name={["source", "access_key"]} label={t("imports.accessKey")} extra={t("imports.keysHint")}>
          <Input autoComplete="off" />
        </Form.Item>
        <Form.Item name={["source", "secret_key"]} label={t("imports.secretKey")}>
          <Input.Password autoComplete="new-password" />
        </Form.Item>
      </div>
    </>
  );
}

function DatabaseFields() {
  const { t } = useTranslation("datasets");
  const type = Form.useWatch<string>(["source", "type"]);
  const needed = (message: string) => [{ required: true, whitespace: true, message }];
  return (
    <>
      <Form.Item name={["source", "type"]} label={t("imports.databaseKind")} required>
        <Radio.Group
          optionType="button"
          options={[
            { value: "postgresql", label: "PostgreSQL" },
            { value: "mysql", label: "MySQL, MariaDB" },
          ]}
        />
      </Form.Item>
      <div className={styles.row}>
        <Form.Item name={["source", "host"]} label={t("imports.host")} required rules={needed(t("imports.hostMissing"))}>
          <Input autoComplete="off" />
        </Form.Item>
        <Form.Item name={["source", "port"]} label={t("imports.port")}>
          <InputNumber min={1} max={65_535} precision={0} placeholder={type === "mysql" ? "3306" : "5432"} style={{ width: "100%" }} />
        </Form.Item>
        <Form.Item name={["source", "database"]} label={t("imports.database")} required rules={needed(t("imports.databaseMissing"))}>
          <Input autoComplete="off" />
        </Form.Item>
      </div>
      <div className={styles.row}>
        <Form.Item name={["source", "user"]} label={t("imports.user")} required rules={needed(t("imports.userMissing"))}>
          <Input autoComplete="off" />
        </Form.Item>
        <Form.Item name={["source", "password"]} label={t("imports.password")} extra={t("imports.passwordHint")}>
          <Input.Password autoComplete="new-password" />
        </Form.Item>
        <Form.Item name={["source", "tls"]} label={t("imports.tls")} required>
          <Select options={(["prefer", "require", "off"] as const).map((value) => ({ value, label: t(`imports.tlsWay.${value}`) }))} />
        </Form.Item>
      </div>
      <Form.Item name={["source", "query"]} label={t("imports.query")} required extra={t("imports.queryHint")} rules={needed(t("imports.queryMissing"))}>
        <Input.TextArea autoSize={{ minRows: 3, maxRows: 12 }} spellCheck={false} placeholder={t("imports.queryExample")} style={{ fontFamily: "var(--tm-mono)" }} />
      </Form.Item>
      <div className={styles.row}>
        {COLUMNS.map((column) => (
          <Form.Item key={column} name={["source", "columns", column]} label={t(`imports.column.${column}`)} extra={t(`imports.columnHint.${column}`)}>
            <Input autoComplete="off" placeholder={column === "separator" ? "," : undefined} />
          </Form.Item>
        ))}
      </div>
    </>
  );
}

function AddressFields() {
  const { t } = useTranslation("datasets");
  return (
    <Form.Item
      name={["source", "addresses"]}
      label={t("imports.addresses")}
      required
      extra={t("imports.addressesHint")}
      rules={[
        {
          validator: (_rule, text: string | undefined) => {
            const found = parseAddresses(text ?? "");
            if (found.length === 0) return Promise.reject(new Error(t("imports.addressesMissing")));
            if (found.length > ADDRESSES_MAX) return Promise.reject(new Error(t("imports.addressesMany", { max: ADDRESSES_MAX })));
            const wrong = found.find(({ url }) => !/^https?:\/\//.test(url));
            return wrong ? Promise.reject(new Error(t("imports.addressWrong", { url: wrong.url }))) : Promise.resolve();
          },
        },
      ]}
    >
      <Input.TextArea autoSize={{ minRows: 5, maxRows: 14 }} spellCheck={false} placeholder={t("imports.addressesExample")} />
    </Form.Item>
  );
}

function DatasetFields({ project }: { project: string }) {
  const { t } = useTranslation("datasets");
  return (
    <>
      <Form.Item name={["source", "dataset"]} label={t("imports.dataset")} required rules={[{ required: true, message: t("imports.datasetMissing") }]}>
        <AssetVersionSelect project={project} kind="datasets" />
      </Form.Item>
      <Form.Item name={["source", "with_annotations"]} label={t("imports.withAnnotations")} required valuePropName="checked">
        <Switch aria-label={t("imports.withAnnotations")} />
      </Form.Item>
    </>
  );
}
